// Package objects turns golden cases into Kubernetes objects, and into the few
// listers that a scheduler asks for them.
//
// It is what the judges of the releases share: it depends on the Kubernetes
// API only, which does not change from one minor to the next, while everything
// that touches the scheduler itself is written once a release.
package objects
