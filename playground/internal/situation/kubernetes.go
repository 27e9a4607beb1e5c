package situation

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// These are the fields of Kubernetes objects that a situation has a place for, in
// the names of the API.
type (
	object struct {
		APIVersion string   `json:"apiVersion,omitempty"`
		Kind       string   `json:"kind,omitempty"`
		Metadata   metadata `json:"metadata"`
		Spec       spec     `json:"spec"`
		Status     status   `json:"status"`
		Value      int32    `json:"value,omitempty"` // of a PriorityClass
		Items      []object `json:"items,omitempty"`
	}
	metadata struct {
		Name              string            `json:"name,omitempty"`
		Namespace         string            `json:"namespace,omitempty"`
		Labels            map[string]string `json:"labels,omitempty"`
		DeletionTimestamp string            `json:"deletionTimestamp,omitempty"`
		OwnerReferences   []ownerReference  `json:"ownerReferences,omitempty"`
	}
	ownerReference struct {
		Kind       string `json:"kind"`
		Name       string `json:"name"`
		Controller bool   `json:"controller,omitempty"`
	}
	spec struct {
		Unschedulable                 bool              `json:"unschedulable,omitempty"`
		NodeName                      string            `json:"nodeName,omitempty"`
		Priority                      *int32            `json:"priority,omitempty"`
		PriorityClassName             string            `json:"priorityClassName,omitempty"`
		PreemptionPolicy              string            `json:"preemptionPolicy,omitempty"`
		NodeSelector                  map[string]string `json:"nodeSelector,omitempty"`
		TerminationGracePeriodSeconds *int64            `json:"terminationGracePeriodSeconds,omitempty"`
		Containers                    []container       `json:"containers,omitempty"`
		InitContainers                []container       `json:"initContainers,omitempty"`
		Overhead                      resources         `json:"overhead,omitempty"`
		Selector                      *selector         `json:"selector,omitempty"`
		MinAvailable                  any               `json:"minAvailable,omitempty"`
		MaxUnavailable                any               `json:"maxUnavailable,omitempty"`
		SchedulingGroup               *schedulingGroup  `json:"schedulingGroup,omitempty"`
	}
	schedulingGroup struct {
		PodGroupName string `json:"podGroupName"`
	}
	selector struct {
		MatchLabels      map[string]string `json:"matchLabels,omitempty"`
		MatchExpressions []any             `json:"matchExpressions,omitempty"`
	}
	container struct {
		Name          string `json:"name"`
		RestartPolicy string `json:"restartPolicy,omitempty"`
		Resources     struct {
			Requests resources `json:"requests,omitempty"`
		} `json:"resources"`
	}
	resources map[string]string
	status    struct {
		Allocatable        resources   `json:"allocatable,omitempty"`
		Phase              string      `json:"phase,omitempty"`
		StartTime          string      `json:"startTime,omitempty"`
		NominatedNodeName  string      `json:"nominatedNodeName,omitempty"`
		DisruptionsAllowed int32       `json:"disruptionsAllowed,omitempty"`
		Conditions         []condition `json:"conditions,omitempty"`
	}
	condition struct {
		Type   string `json:"type"`
		Status string `json:"status"`
		Reason string `json:"reason,omitempty"`
	}
)

// Import reads what kubectl get nodes,pods,pdb,priorityclasses -A -o json prints.
// What the page has no place for is named in the notes: other resources, budgets
// with expressions, objects of other kinds. Pods of namespaces other than the first
// pod's get theirs before their name.
func Import(text []byte) (s *Situation, notes []string, err error) {
	var list object
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, nil, fmt.Errorf("this is not JSON as kubectl get -o json prints it: %w", err)
	}
	items := list.Items
	if list.Kind != "List" && !strings.HasSuffix(list.Kind, "List") {
		items = []object{list}
	}
	in := importer{situation: &Situation{Release: "1.38"}, classes: map[string]int32{}}
	for i := range items {
		if items[i].Kind == "PriorityClass" {
			in.classes[items[i].Metadata.Name] = items[i].Value
		}
	}
	for i := range items {
		in.add(&items[i])
	}
	if len(in.situation.Nodes) == 0 {
		in.errs = append(in.errs, errors.New("there are no nodes in it: kubectl get nodes,pods,pdb,priorityclasses -A -o json"))
	}
	slices.Sort(in.notes)
	return in.situation, slices.Compact(in.notes), errors.Join(in.errs...)
}

type importer struct {
	situation *Situation
	classes   map[string]int32
	namespace string
	notes     []string
	errs      []error
}

func (in *importer) note(format string, args ...any) {
	in.notes = append(in.notes, fmt.Sprintf(format, args...))
}

func (in *importer) fail(o *object, err error) {
	in.errs = append(in.errs, fmt.Errorf("%s %s: %w", strings.ToLower(o.Kind), o.Metadata.Name, err))
}

func (in *importer) add(o *object) {
	switch o.Kind {
	case "Node":
		in.node(o)
	case "Pod":
		in.pod(o)
	case "PodDisruptionBudget":
		in.budget(o)
	case "PriorityClass":
	default:
		in.note("%s objects are left out", o.Kind)
	}
}

func (in *importer) node(o *object) {
	r, other, err := o.Status.Allocatable.read()
	if err != nil {
		in.fail(o, err)
		return
	}
	for _, name := range other {
		if name != "ephemeral-storage" && !strings.HasPrefix(name, "hugepages-") {
			in.note("resource %s is left out", name)
		}
	}
	in.situation.Nodes = append(in.situation.Nodes, Node{
		Name: o.Metadata.Name, CPU: r.cpu, Memory: r.memory, GPU: r.gpu, Pods: r.pods,
		Cordoned: o.Spec.Unschedulable, Labels: o.Metadata.Labels,
	})
}

func (in *importer) pod(o *object) {
	if o.Status.Phase == "Succeeded" || o.Status.Phase == "Failed" {
		return // it takes no room any more
	}
	r, other, err := o.Spec.requests()
	if err != nil {
		in.fail(o, err)
		return
	}
	for _, name := range other {
		in.note("resource %s is left out", name)
	}
	p := Pod{
		Name: in.name(o), Node: o.Spec.NodeName, CPU: r.cpu, Memory: r.memory, GPU: r.gpu,
		Labels: o.Metadata.Labels, NodeSelector: o.Spec.NodeSelector, Never: o.Spec.PreemptionPolicy == "Never",
		Nominated: o.Status.NominatedNodeName,
	}
	switch class, known := in.classes[o.Spec.PriorityClassName]; {
	case o.Spec.Priority != nil:
		p.Priority = *o.Spec.Priority
	case known:
		p.Priority = class
	}
	if g := o.Spec.TerminationGracePeriodSeconds; g != nil {
		p.Grace = *g
	}
	if g := o.Spec.SchedulingGroup; g != nil {
		p.Group = g.PodGroupName
	}
	if o.Status.StartTime != "" {
		at, err := time.Parse(time.RFC3339, o.Status.StartTime)
		if err != nil {
			in.fail(o, fmt.Errorf("status.startTime: %w", err))
			return
		}
		p.Start = int64(at.Sub(epoch) / time.Second)
	}
	for _, c := range o.Status.Conditions {
		if c.Type == "DisruptionTarget" && c.Status == "True" && c.Reason == "PreemptionByScheduler" {
			p.Terminating = o.Metadata.DeletionTimestamp != ""
		}
	}
	for _, owner := range o.Metadata.OwnerReferences {
		if owner.Controller {
			p.Owner = owner.Kind + "/" + owner.Name
		}
	}
	if p.Node == "" {
		in.situation.Pending = append(in.situation.Pending, p)
	} else {
		in.situation.Pods = append(in.situation.Pods, p)
	}
}

func (in *importer) budget(o *object) {
	b := Budget{Name: in.name(o), Allowed: o.Status.DisruptionsAllowed, Min: amount(o.Spec.MinAvailable), Max: amount(o.Spec.MaxUnavailable)}
	if o.Spec.Selector == nil || len(o.Spec.Selector.MatchExpressions) > 0 {
		in.note("budget %s is left out: the page knows selectors of labels alone", b.Name)
		return
	}
	b.Labels = o.Spec.Selector.MatchLabels
	in.situation.Budgets = append(in.situation.Budgets, b)
}

// name keeps names of several namespaces apart.
func (in *importer) name(o *object) string {
	if in.namespace == "" {
		in.namespace = o.Metadata.Namespace
	}
	if o.Metadata.Namespace == in.namespace {
		return o.Metadata.Name
	}
	return o.Metadata.Namespace + "." + o.Metadata.Name
}

func amount(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case int64:
		return strconv.FormatInt(v, 10)
	}
	return ""
}

// need is an amount of each resource that the page shows.
type need struct{ cpu, memory, gpu, pods int64 }

func (a need) plus(b need) need {
	return need{a.cpu + b.cpu, a.memory + b.memory, a.gpu + b.gpu, a.pods + b.pods}
}

func (a need) max(b need) need {
	return need{max(a.cpu, b.cpu), max(a.memory, b.memory), max(a.gpu, b.gpu), max(a.pods, b.pods)}
}

// requests is what the scheduler counts: the sum of the containers and sidecars,
// or the most that an init container takes beside the sidecars before it, and the
// overhead.
func (s *spec) requests() (need, []string, error) {
	var other []string
	var errs []error
	read := func(r resources) need {
		n, more, err := r.read()
		other, errs = append(other, more...), append(errs, err)
		return n
	}
	var all, sidecars, peak need
	for _, c := range s.Containers {
		all = all.plus(read(c.Resources.Requests))
	}
	for _, c := range s.InitContainers {
		n := read(c.Resources.Requests)
		if c.RestartPolicy == "Always" {
			sidecars, all = sidecars.plus(n), all.plus(n)
			peak = peak.max(sidecars)
			continue
		}
		peak = peak.max(sidecars.plus(n))
	}
	return all.max(peak).plus(read(s.Overhead)), other, errors.Join(errs...)
}

// read takes the amounts that the page shows, rounded up as the scheduler does,
// and names the others.
func (r resources) read() (n need, other []string, err error) {
	keys := make([]string, 0, len(r))
	for key := range r {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		switch text := r[key]; key {
		case "cpu":
			n.cpu, err = quantity(text, 1000, 1)
		case "memory":
			n.memory, err = quantity(text, 1, bytesInAMeBi)
		case GPU:
			n.gpu, err = quantity(text, 1, 1)
		case "pods":
			n.pods, err = quantity(text, 1, 1)
		default:
			var v int64
			if v, err = quantity(text, 1, 1); v > 0 {
				other = append(other, key)
			}
		}
		if err != nil {
			return n, other, fmt.Errorf("%s: %w", key, err)
		}
	}
	return n, other, nil
}

var (
	number   = regexp.MustCompile(`^([0-9]{1,19}(?:\.[0-9]{0,18})?)(?:[eE]([0-9]{1,2}))?([a-zA-Z]{0,2})$`)
	suffixes = map[string]*big.Rat{
		"n": big.NewRat(1, 1e9), "u": big.NewRat(1, 1e6), "m": big.NewRat(1, 1000), "": big.NewRat(1, 1),
		"k": big.NewRat(1e3, 1), "M": big.NewRat(1e6, 1), "G": big.NewRat(1e9, 1), "T": big.NewRat(1e12, 1),
		"P": big.NewRat(1e15, 1), "E": big.NewRat(1e18, 1),
		"Ki": big.NewRat(1<<10, 1), "Mi": big.NewRat(1<<20, 1), "Gi": big.NewRat(1<<30, 1), "Ti": big.NewRat(1<<40, 1),
		"Pi": big.NewRat(1<<50, 1), "Ei": big.NewRat(1<<60, 1),
	}
)

// quantity reads a Kubernetes quantity such as 250m, 1.5, 8Gi or 1e3, times the
// first factor and divided by the second, rounded up.
func quantity(s string, times, by int64) (int64, error) {
	parts := number.FindStringSubmatch(s)
	if parts == nil || suffixes[parts[3]] == nil {
		return 0, fmt.Errorf("%q is not a quantity", s)
	}
	v, ok := new(big.Rat).SetString(parts[1])
	if !ok {
		return 0, fmt.Errorf("%q is not a quantity", s)
	}
	v.Mul(v, suffixes[parts[3]])
	if exponent, err := strconv.Atoi(parts[2]); err == nil {
		v.Mul(v, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(exponent)), nil)))
	}
	v.Mul(v, big.NewRat(times, by))
	up := new(big.Int).Add(v.Num(), new(big.Int).Sub(v.Denom(), big.NewInt(1)))
	up.Quo(up, v.Denom())
	if !up.IsInt64() {
		return 0, fmt.Errorf("%q is more than the page can count", s)
	}
	return up.Int64(), nil
}
