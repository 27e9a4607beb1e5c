// Package example is a cluster to try things out on.
package example

import (
	"bytes"
	_ "embed"

	"example.com/preemption/scheduler/internal/dump"
)

//go:embed cluster.yaml
var cluster []byte

// The pending pod of the example.
const (
	Namespace = "shop"
	Pod       = "checkout"
)

// Read reads the cluster.
func Read(c *dump.Contents) error { return c.Read(bytes.NewReader(cluster), "the example") }
