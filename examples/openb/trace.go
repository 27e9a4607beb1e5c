package main

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"example.com/preemption"
	"example.com/preemption/testdata/openb"
)

// gpu is the resource that counts GPUs, in thousandths of one.
const gpu = "gpu-milli"

// A traceNode is a row of the node list.
type traceNode struct {
	name     string
	cpu      int64 // millicores
	memory   int64 // bytes
	gpu      int64 // thousandths
	gpuModel string
}

// A tracePod is a row of the pod list.
type tracePod struct {
	name    string
	cpu     int64    // millicores
	memory  int64    // bytes
	gpu     int64    // thousandths
	models  []string // of GPU that will do; empty: all
	qos     string
	created time.Time
}

// qosClasses are the classes of the trace, most important first.
var qosClasses = []string{"LS", "Guaranteed", "Burstable", "BE"}

// qosPriority gives a class its priority, by the ranges of Koordinator: prod,
// prod, mid and batch.
var qosPriority = map[string]int32{"LS": 9500, "Guaranteed": 9500, "Burstable": 7500, "BE": 5500}

// podsPerNode is what a kubelet takes by default; the trace does not say.
const podsPerNode = 110

// epoch is when the trace begins, which it does not say either.
var epoch = time.Date(2023, time.January, 1, 0, 0, 0, 0, time.UTC)

func (n *traceNode) node() *preemption.Node {
	return &preemption.Node{
		Name:   n.name,
		Labels: map[string]string{modelLabel: n.gpuModel},
		Allocatable: preemption.Resources{
			preemption.CPU:      n.cpu,
			preemption.Memory:   n.memory,
			gpu:                 n.gpu,
			preemption.PodCount: podsPerNode,
		},
	}
}

func (p *tracePod) requests() preemption.Resources {
	return preemption.Resources{preemption.CPU: p.cpu, preemption.Memory: p.memory, gpu: p.gpu}
}

// String says what the pod asks for.
func (p *tracePod) String() string {
	return fmt.Sprintf("%.1f CPUs, %.0f GiB, %.2f GPUs", float64(p.cpu)/1000, float64(p.memory)/(1<<30), float64(p.gpu)/1000)
}

// loadNodes reads the embedded node list.
func loadNodes() ([]traceNode, error) {
	var nodes []traceNode
	err := readTable(openb.Nodes, func(r *row) {
		nodes = append(nodes, traceNode{
			name:     r.text("sn"),
			cpu:      r.number("cpu_milli"),
			memory:   r.number("memory_mib") << 20,
			gpu:      r.number("gpu") * 1000,
			gpuModel: r.text("model"),
		})
	})
	if err != nil {
		return nil, fmt.Errorf("node list: %w", err)
	}
	return nodes, nil
}

// loadPods reads the embedded pod list.
func loadPods() ([]tracePod, error) {
	var pods []tracePod
	err := readTable(openb.Pods, func(r *row) {
		p := tracePod{
			name:    r.text("name"),
			cpu:     r.number("cpu_milli"),
			memory:  r.number("memory_mib") << 20,
			gpu:     r.number("num_gpu") * r.number("gpu_milli"),
			qos:     r.text("qos"),
			created: epoch.Add(time.Duration(r.number("creation_time")) * time.Second),
		}
		if spec := r.text("gpu_spec"); spec != "" {
			p.models = strings.Split(spec, "|")
		}
		if _, known := qosPriority[p.qos]; !known {
			r.fail(fmt.Errorf("unknown QoS %q", p.qos))
		}
		pods = append(pods, p)
	})
	if err != nil {
		return nil, fmt.Errorf("pod list: %w", err)
	}
	return pods, nil
}

// readTable calls add for each row of a gzipped CSV file but the header.
func readTable(gzipped []byte, add func(*row)) error {
	unzipped, err := gzip.NewReader(bytes.NewReader(gzipped))
	if err != nil {
		return err
	}
	table := csv.NewReader(unzipped)
	header, err := table.Read()
	if err != nil {
		return err
	}
	r := row{column: make(map[string]int)}
	for i, name := range header {
		r.column[name] = i
	}
	for {
		r.fields, err = table.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if add(&r); r.err != nil {
			line, _ := table.FieldPos(0)
			return fmt.Errorf("line %d: %w", line, r.err)
		}
	}
}

// A row is one line of a table. It keeps the first error.
type row struct {
	column map[string]int
	fields []string
	err    error
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
