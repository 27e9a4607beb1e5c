package main

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"strconv"
	"time"

	"example.com/preemption"
	"example.com/preemption/testdata/openb"
)

// epoch is when the trace begins, which it does not say.
var epoch = time.Date(2023, time.January, 1, 0, 0, 0, 0, time.UTC)

// loadNodes reads the nodes with GPUs from the embedded list.
func loadNodes() ([]*preemption.Node, error) {
	rows, err := readTable(openb.Nodes)
	if err != nil {
		return nil, fmt.Errorf("node list: %w", err)
	}
	var nodes []*preemption.Node
	for _, r := range rows {
		n := &preemption.Node{Name: r.text("sn"), Allocatable: preemption.Resources{
			preemption.CPU: r.number("cpu_milli"), preemption.Memory: r.number("memory_mib") << 20,
			gpu: r.number("gpu") * 1000, preemption.PodCount: podsPerNode,
		}}
		if r.err != nil {
			return nil, fmt.Errorf("node list: %w", r.err)
		}
		if n.Allocatable[gpu] > 0 {
			nodes = append(nodes, n)
		}
	}
	return nodes, nil
}

// loadPods reads the pods that ask for GPUs from the embedded list.
func loadPods() ([]*preemption.Pod, error) {
	rows, err := readTable(openb.Pods)
	if err != nil {
		return nil, fmt.Errorf("pod list: %w", err)
	}
	var pods []*preemption.Pod
	for _, r := range rows {
		name, qos := r.text("name"), r.text("qos")
		p := &preemption.Pod{
			Namespace: "trace", Name: name, UID: name, Labels: map[string]string{qosLabel: qos},
			Requests: preemption.Resources{
				preemption.CPU: r.number("cpu_milli"), preemption.Memory: r.number("memory_mib") << 20,
				gpu: r.number("num_gpu") * r.number("gpu_milli"),
			},
			Start: epoch.Add(time.Duration(r.number("creation_time")) * time.Second),
		}
		priority, known := qosPriority[qos]
		if !known {
			r.fail(fmt.Errorf("pod %s: unknown QoS %q", name, qos))
		}
		if r.err != nil {
			return nil, fmt.Errorf("pod list: %w", r.err)
		}
		p.Priority = priority
		if p.Requests[gpu] > 0 {
			pods = append(pods, p)
		}
	}
	return pods, nil
}

// A row is one line of a table. It keeps the first error.
type row struct {
	column map[string]int
	fields []string
	err    error
}

// readTable reads a gzipped CSV file with a header.
func readTable(gzipped []byte) ([]*row, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(gzipped))
	if err != nil {
		return nil, err
	}
	lines, err := csv.NewReader(unzipped).ReadAll()
	if err != nil {
		return nil, err
	}
	column := make(map[string]int)
	for i, name := range lines[0] {
		column[name] = i
	}
	rows := make([]*row, 0, len(lines)-1)
	for _, fields := range lines[1:] {
		rows = append(rows, &row{column: column, fields: fields})
	}
	return rows, nil
}

func (r *row) text(column string) string {
	i, ok := r.column[column]
	if !ok {
		r.fail(fmt.Errorf("no column %s", column))
		return ""
	}
	return r.fields[i]
}

func (r *row) number(column string) int64 {
	n, err := strconv.ParseInt(r.text(column), 10, 64)
	if err != nil {
		r.fail(fmt.Errorf("column %s: %w", column, err))
	}
	return n
}

func (r *row) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}
