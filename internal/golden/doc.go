// Package golden reads, writes and compares golden cases: small clusters, a
// pod that wants to preempt, and what each kube-scheduler release answers.
//
// A case is one line of JSON in a file ending in .jsonl or .jsonl.gz. The
// format is described in testdata/golden/README.md; the types here mirror it
// field by field and nothing more, so that a case can be read, judged and
// written back without losing anything. The package knows neither this
// module's API nor Kubernetes: the replay test translates a Case into the
// former, the conformance modules into the latter.
package golden
