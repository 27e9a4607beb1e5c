package situation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// YAML writes the situation as a List of Kubernetes objects, with the status that
// the scheduler looks at: what kubectl get -o yaml would print of it, shortened to
// what matters. As JSON it can be imported again.
func (s *Situation) YAML() (string, error) {
	text, err := s.kubernetes()
	if err != nil {
		return "", err
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		return "", err
	}
	var b strings.Builder
	writeYAML(&b, tree, 0)
	return b.String(), nil
}

// kubernetes is the situation as a List in JSON.
func (s *Situation) kubernetes() ([]byte, error) {
	list := object{APIVersion: "v1", Kind: "List"}
	add := func(o object) { list.Items = append(list.Items, o) }
	for i := range s.Nodes {
		n := &s.Nodes[i]
		o := object{APIVersion: "v1", Kind: "Node", Metadata: metadata{Name: n.Name, Labels: n.Labels}}
		o.Spec.Unschedulable = n.Cordoned
		o.Status.Allocatable = quantities(n.CPU, n.Memory, n.GPU)
		pods := n.Pods
		if pods == 0 {
			pods = defaultPods
		}
		o.Status.Allocatable["pods"] = strconv.FormatInt(pods, 10)
		add(o)
	}
	for _, p := range slices.Concat(s.Pods, s.Pending) {
		add(p.kubernetes())
	}
	for _, b := range s.Budgets {
		o := object{APIVersion: "policy/v1", Kind: "PodDisruptionBudget", Metadata: metadata{Name: b.Name, Namespace: namespace}}
		o.Spec.Selector = &selector{MatchLabels: b.Labels}
		if b.Min != "" {
			o.Spec.MinAvailable = b.Min
		}
		if b.Max != "" {
			o.Spec.MaxUnavailable = b.Max
		}
		o.Status.DisruptionsAllowed = b.Allowed
		add(o)
	}
	return json.Marshal(list)
}

func (p *Pod) kubernetes() object {
	o := object{APIVersion: "v1", Kind: "Pod", Metadata: metadata{Name: p.Name, Namespace: namespace, Labels: p.Labels}}
	if owner := parseOwner(p.Owner); p.Owner != "" {
		o.Metadata.OwnerReferences = []ownerReference{{Kind: owner.Kind, Name: owner.Name, Controller: true}}
	}
	o.Spec.NodeName, o.Spec.Priority, o.Spec.NodeSelector = p.Node, &p.Priority, p.NodeSelector
	c := container{Name: "main"}
	c.Resources.Requests = quantities(p.CPU, p.Memory, p.GPU)
	o.Spec.Containers = []container{c}
	if p.Grace != 0 {
		o.Spec.TerminationGracePeriodSeconds = &p.Grace
	}
	if p.Never {
		o.Spec.PreemptionPolicy = "Never"
	}
	if p.Group != "" {
		o.Spec.SchedulingGroup = &schedulingGroup{p.Group}
	}
	if p.Start != 0 {
		o.Status.StartTime = epoch.Add(time.Duration(p.Start) * time.Second).Format(time.RFC3339)
	}
	if p.Terminating {
		o.Metadata.DeletionTimestamp = epoch.Format(time.RFC3339)
		o.Status.Conditions = []condition{{"DisruptionTarget", "True", "PreemptionByScheduler"}}
	}
	o.Status.NominatedNodeName = p.Nominated
	return o
}

func quantities(cpu, memory, gpu int64) resources {
	r := resources{}
	if cpu != 0 {
		r["cpu"] = strconv.FormatInt(cpu, 10) + "m"
	}
	if memory != 0 {
		r["memory"] = strconv.FormatInt(memory, 10) + "Mi"
	}
	if gpu != 0 {
		r[GPU] = strconv.FormatInt(gpu, 10)
	}
	return r
}

// writeYAML writes what JSON was decoded to, keys in order, empty parts left out.
// Strings are quoted as JSON quotes them, which YAML reads.
func writeYAML(b *strings.Builder, v any, depth int) {
	indent := strings.Repeat("  ", depth)
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			if isEmpty(v[key]) {
				continue
			}
			fmt.Fprintf(b, "%s%s:", indent, quoteKey(key))
			writeValue(b, v[key], depth+1)
		}
	case []any:
		for _, x := range v {
			var item strings.Builder
			writeYAML(&item, x, depth+1)
			text := strings.TrimPrefix(item.String(), indent+"  ")
			fmt.Fprintf(b, "%s- %s", indent, text)
		}
	default:
		fmt.Fprintf(b, "%s%s\n", indent, scalar(v))
	}
}

func writeValue(b *strings.Builder, v any, depth int) {
	switch v.(type) {
	case map[string]any, []any:
		b.WriteString("\n")
		writeYAML(b, v, depth)
	default:
		fmt.Fprintf(b, " %s\n", scalar(v))
	}
}

func scalar(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return `""` // nothing that JSON was decoded to fails
	}
	return string(text)
}

func quoteKey(key string) string {
	if strings.ContainsAny(key, "./") {
		return strconv.Quote(key)
	}
	return key
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, x := range v {
			if !isEmpty(x) {
				return false
			}
		}
		return true
	case []any:
		return len(v) == 0
	}
	return false
}
