// Package trace reads the openb trace, the nodes and pods of a production GPU
// cluster at Alibaba that testdata/openb has, and places its pods on its nodes.
package trace

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

// GPU is the resource that counts GPUs, in thousandths of one, pooled per node.
const GPU = "gpu-milli"

// ModelLabel is the label of a node that names the model of its GPUs.
const ModelLabel = "gpu-model"

// PodsPerNode is what a kubelet takes by default; the trace does not say.
const PodsPerNode = 110

// Epoch is when the trace begins, which it does not say either.
var Epoch = time.Date(2023, time.January, 1, 0, 0, 0, 0, time.UTC)

// Classes are the QoS classes of the trace, most important first.
var Classes = []string{"LS", "Guaranteed", "Burstable", "BE"}

// Priority gives a class its priority, by the ranges of Koordinator: prod, prod,
// mid and batch.
var Priority = map[string]int32{"LS": 9500, "Guaranteed": 9500, "Burstable": 7500, "BE": 5500}

// A Node is a row of the node list.
type Node struct {
	Name   string
	CPU    int64 // millicores
	Memory int64 // bytes
	GPU    int64 // thousandths
	Model  string
}

// A Pod is a row of the pod list.
type Pod struct {
	Name    string
	CPU     int64    // millicores
	Memory  int64    // bytes
	GPU     int64    // thousandths
	Models  []string // of GPU that will do; empty: all
	QoS     string
	Created time.Time
	Life    time.Duration // from its creation to its deletion
}

// Object returns the node as the library takes it.
func (n *Node) Object() *preemption.Node {
	return &preemption.Node{
		Name:   n.Name,
		Labels: map[string]string{ModelLabel: n.Model},
		Allocatable: preemption.Resources{
			preemption.CPU:      n.CPU,
			preemption.Memory:   n.Memory,
			GPU:                 n.GPU,
			preemption.PodCount: PodsPerNode,
		},
	}
}

// Requests returns what the pod asks for.
func (p *Pod) Requests() preemption.Resources {
	return preemption.Resources{preemption.CPU: p.CPU, preemption.Memory: p.Memory, GPU: p.GPU}
}

// String says what the pod asks for.
func (p *Pod) String() string {
	return fmt.Sprintf("%.1f CPUs, %.0f GiB, %.2f GPUs", float64(p.CPU)/1000, float64(p.Memory)/(1<<30), float64(p.GPU)/1000)
}

// Nodes reads the node list, which is sorted by kind.
func Nodes() ([]Node, error) {
	var nodes []Node
	err := readTable(openb.Nodes, func(r *row) {
		nodes = append(nodes, Node{
			Name:   r.text("sn"),
			CPU:    r.number("cpu_milli"),
			Memory: r.number("memory_mib") << 20,
			GPU:    r.number("gpu") * 1000,
			Model:  r.text("model"),
		})
	})
	if err != nil {
		return nil, fmt.Errorf("node list: %w", err)
	}
	return nodes, nil
}

// Pods reads the pod list, in the order of creation.
func Pods() ([]Pod, error) {
	var pods []Pod
	err := readTable(openb.Pods, func(r *row) {
		p := Pod{
			Name:    r.text("name"),
			CPU:     r.number("cpu_milli"),
			Memory:  r.number("memory_mib") << 20,
			GPU:     r.number("num_gpu") * r.number("gpu_milli"),
			QoS:     r.text("qos"),
			Created: Epoch.Add(time.Duration(r.number("creation_time")) * time.Second),
			Life:    time.Duration(r.number("deletion_time")-r.number("creation_time")) * time.Second,
		}
		if spec := r.text("gpu_spec"); spec != "" {
			p.Models = strings.Split(spec, "|")
		}
		if _, known := Priority[p.QoS]; !known {
			r.fail(fmt.Errorf("unknown QoS %q", p.QoS))
		}
		pods = append(pods, p)
	})
	if err != nil {
		return nil, fmt.Errorf("pod list: %w", err)
	}
	return pods, nil
}

// Sample takes n nodes evenly from the list, so that the mix stays.
func Sample(nodes []Node, n int) []Node {
	taken := make([]Node, n)
	for i := range taken {
		taken[i] = nodes[i*len(nodes)/n]
	}
	return taken
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
