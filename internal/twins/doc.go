// Package twins holds the engine below Preempt against the composable functions,
// which an evaluator with a Compare of its own uses in its place. It consists of
// tests alone.
//
// Random worlds (package world) of every feature are decided about by both, with
// updates between the decisions, in clusters of a few nodes and in clusters of
// several blocks of nodes. Beside them stand cases that once were wrong, or that
// random worlds hardly ever meet.
//
// More than CI does: go test ./internal/twins -decisions 2000000 -wide 100000, and
// go test ./internal/twins -fuzz FuzzEngine.
package twins
