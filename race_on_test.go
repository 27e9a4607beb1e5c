//go:build race

package preemption_test

// raceEnabled: the race detector allocates on its own.
const raceEnabled = true
