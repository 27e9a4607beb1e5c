// Package conformance is what the conformance modules share apart from
// Kubernetes: replaying golden cases through a judge, and regenerating their
// answers with one.
//
// A judge answers golden cases with the real code of one kube-scheduler
// release. There is a module for each release, because their requirements
// exclude each other; this package knows none of them.
package conformance

import "example.com/preemption/internal/golden"

// Judge returns the answer of one release to a case.
type Judge func(golden.Case) (golden.Answer, error)
