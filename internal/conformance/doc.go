// Package conformance is what the conformance modules share apart from
// Kubernetes: replaying golden cases through a judge, regenerating their
// answers with one, and holding the library against one on generated cases.
//
// A judge answers golden cases with the real code of one kube-scheduler
// release. There is a module for each release, because their requirements
// exclude each other; this package knows none of them.
package conformance

import (
	"errors"

	"example.com/preemption/internal/golden"
)

// Judge returns the answer of one release to a case.
type Judge func(golden.Case) (golden.Answer, error)

// ErrFails is what a judge's error wraps if it is the scheduler that fails, not
// the judge. There is then no answer to compare with.
//
// The known reasons, both with groups that are [Tangled]: in 1.37 a pod may be in
// a unit twice, or in two units, and the scheduler then removes it twice from its
// node; 1.38.0-beta.0 goes round forever in a group that is its own ancestor.
var ErrFails = errors.New("the scheduler fails")
