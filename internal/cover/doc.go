// Package cover solves the two knapsacks of preempting groups, over numbers
// alone: which items, whose amounts make up what a place lacks, cost least
// ([Solver.Cheapest]), and how many members to give to which place so that all
// of them cost least ([Distribute]).
//
// Costs compare by the sum, then the count, then the start; see [Cost]. Adding
// the same cost to two others keeps their order, so a whole that costs least has
// parts that cost least. Both solutions rest on that.
package cover
