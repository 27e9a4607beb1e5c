// Package columnar is the engine below preemption.Evaluator: it finds, over all
// nodes and exactly, the node that is cheapest to clear, without looking at most
// of them. It knows nothing of pods: it sees nodes as rows of residents, each
// with a priority, a start and a vector of requests.
//
// # Layout
//
// A [Table] keeps, for each level of priority, what would be available on each
// node if every resident up to that level were evicted (a plane), and for each
// block of 64 nodes the maximum of that. Levels are distinct priorities as long
// as there are few of them, and ranges of priorities beyond.
//
// # Search
//
// [Table.Search] goes through the levels from the lowest up. Blocks whose maximum
// is short of the request are skipped unseen. Nodes that have enough are compared with
// the best so far by a handful of numbers, a block of them at a time, and only those
// that could beat it are evaluated: the greedy reprieve, in plain arithmetic, which ends
// as soon as it comes to more victims than the best has.
//
// Invariants, each with its proof in docs/engine.md:
//
//   - a plane is never less than what evictions up to its level can make
//     available, so a node that a plane rules out is out;
//   - a bound is never greater than the score that evaluation would find, so a
//     node that a bound rules out cannot be the best;
//   - equal scores are decided by the lower index, so the visiting order does not
//     matter.
package columnar
