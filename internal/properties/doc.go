// Package properties holds the library to its promises on random small clusters.
// It consists of tests alone.
//
// A generator (generator_test.go) draws clusters and preemptors in which ties,
// clashes and near misses are common. A twin (twin_test.go) decides about them as
// the documentation says, as plainly as the rules allow, and shares no code with
// the library. The properties compare the two, or state what has to hold of every
// decision: who may be evicted, that the preemptor fits afterwards, that nothing
// depends on the number of workers, on the order of input or on names, that
// updates lead to the same state as building afresh, and that inputs stay as they
// are.
//
// Each property is checked a thousand times; -rapid.checks sets another number.
package properties
