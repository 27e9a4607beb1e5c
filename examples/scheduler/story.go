package main

import (
	"fmt"
	"time"

	"example.com/preemption"
)

// An arrival is a set of equal pods that somebody creates at some time.
type arrival struct {
	at       time.Duration
	app      string
	replicas int
	priority int32
	cpu      int64 // millicores
	grace    time.Duration
}

// story is what arrives, in order.
var story = []arrival{
	{at: 0, app: "web", replicas: 3, priority: 100, cpu: 2000, grace: 60 * time.Second},
	{at: 0, app: "batch", replicas: 6, priority: 10, cpu: 1000, grace: 30 * time.Second},
	{at: 30 * time.Second, app: "db", replicas: 1, priority: 500, cpu: 3000, grace: 60 * time.Second},
	{at: 60 * time.Second, app: "urgent", replicas: 1, priority: 1000, cpu: 2000, grace: 60 * time.Second},
}

// nodes are three of 4 CPUs.
func nodes() []*preemption.Node {
	var nodes []*preemption.Node
	for i := range 3 {
		nodes = append(nodes, &preemption.Node{
			Name:        fmt.Sprintf("node-%d", i+1),
			Allocatable: preemption.Resources{preemption.CPU: 4000, preemption.PodCount: 110},
		})
	}
	return nodes
}
