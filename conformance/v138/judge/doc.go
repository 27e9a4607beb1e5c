// Package judge answers golden cases with the code of kube-scheduler v1.38.0-beta.0.
//
// It decides nothing itself. It builds the cluster of a case in the scheduler's
// own cache, lets the scheduling framework run the scheduler's own Filter
// plugins on every node, and asks the default preemption plugin for everything
// else: eligibility, the dry run, the choice and the message. What it fixes is
// what a live scheduler leaves to chance: one worker, nodes walked by name,
// budgets in the order of the case, the offset and the number of candidates,
// and which of several tied nodes is named.
package judge
