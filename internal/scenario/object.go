package scenario

import (
	"strconv"
	"strings"
	"time"

	"example.com/preemption"
)

// defaultNamespace is where an object lives whose name has no slash. It is left
// out in output.
const defaultNamespace = "default"

// splitName reads name or namespace/name.
func splitName(s string) (namespace, name string) {
	if namespace, name, ok := strings.Cut(s, "/"); ok {
		return namespace, name
	}
	return defaultNamespace, s
}

// joinName undoes splitName.
func joinName(namespace, name string) string {
	if namespace == defaultNamespace {
		return name
	}
	return namespace + "/" + name
}

// defaultPods is the pod limit of a node that the scenario does not give one.
const defaultPods = 110

// node reads "node NAME …".
func (l *line) node() (*preemption.Node, error) {
	f := l.fields()
	n := &preemption.Node{Name: f.word("the node's name"), Unschedulable: f.flag("unschedulable")}
	for _, s := range f.all("taint") {
		n.Taints = append(n.Taints, f.taint(s))
	}
	n.Allocatable = preemption.Resources{preemption.PodCount: defaultPods}
	if f.takes(preemption.PodCount, "unset") {
		delete(n.Allocatable, preemption.PodCount)
	}
	n.Labels = f.resourcesAndLabels(n.Allocatable)
	return n, f.done()
}

// taint reads key=value:Effect, key:Effect or key, as kubectl taint does.
func (f *fields) taint(s string) preemption.Taint {
	rest, effect, ok := strings.Cut(s, ":")
	if !ok {
		f.fail("taint=%s has no effect: write key=value:Effect or key:Effect", s)
	}
	key, value, _ := strings.Cut(rest, "=")
	return preemption.Taint{Key: key, Value: value, Effect: preemption.TaintEffect(effect)}
}

// resourcesAndLabels takes all that is left: resources by their names, anything
// else a label. It adds the resources to r and returns the labels.
func (f *fields) resourcesAndLabels(r preemption.Resources) map[string]string {
	var labels map[string]string
	set := func(key, value string) {
		if labels == nil {
			labels = make(map[string]string)
		}
		labels[key] = value
	}
	for _, s := range f.all("label") {
		key, value, _ := strings.Cut(s, "=")
		set(key, value)
	}
	for _, a := range f.rest() {
		if !isResource(a.key) {
			set(a.key, a.value)
			continue
		}
		n, err := parseQuantity(a.key, a.value)
		if err != nil {
			f.fail("%v", err)
			continue
		}
		r[a.key] = n
	}
	return labels
}

// isResource tells resources from labels: huge pages have a size, extended
// resources a slash.
func isResource(key string) bool {
	switch key {
	case preemption.CPU, preemption.Memory, preemption.EphemeralStorage, preemption.PodCount:
		return true
	}
	return strings.HasPrefix(key, "hugepages-") || strings.Contains(key, "/")
}

var terminations = map[string]preemption.Termination{
	"preemption": preemption.TerminatingByPreemption,
	"other":      preemption.TerminatingOther,
}

var policies = map[string]preemption.PreemptionPolicy{
	"never":          preemption.PreemptNever,
	"lower-priority": preemption.PreemptLowerPriority,
}

// pod reads "… NAME …", the words of a pod.
func (f *fields) pod() *preemption.Pod {
	p := &preemption.Pod{}
	full := f.word("the pod's name")
	p.Namespace, p.Name = splitName(full)
	p.UID = joinName(p.Namespace, p.Name)
	if uid, ok := f.take("uid"); ok {
		p.UID = uid
	}
	p.Priority = int32(f.number("prio", 32))
	p.PreemptionPolicy = choice(f, "policy", policies, "never or lower-priority")
	p.NodeName, p.NominatedNode, p.Group = f.text("on"), f.text("nominated"), f.text("group")
	if kind, name, ok := strings.Cut(f.text("owner"), "/"); ok {
		p.Owner = preemption.Owner{Kind: kind, Name: name}
	} else if kind != "" {
		f.fail("owner=%s: want KIND/NAME", kind)
	}
	p.Termination = choice(f, "terminating", terminations, "preemption or other")
	if s, ok := f.take("start"); ok {
		n, err := strconv.ParseInt(s, 10, 32)
		if err != nil {
			f.fail("start=%s is not a number of seconds", s)
		}
		p.Start = time.Unix(n, 0)
	}
	p.GracePeriod = f.duration("grace")
	for _, s := range f.all("port") {
		p.HostPorts = append(p.HostPorts, f.port(s))
	}
	for _, s := range f.all("selector") {
		key, value, _ := strings.Cut(s, "=")
		if p.NodeSelector == nil {
			p.NodeSelector = make(map[string]string)
		}
		p.NodeSelector[key] = value
	}
	for _, s := range f.all("toleration") {
		p.Tolerations = append(p.Tolerations, f.toleration(s))
	}
	p.Requests = preemption.Resources{}
	p.Labels = f.resourcesAndLabels(p.Requests)
	return p
}

// port reads PORT[/PROTOCOL][@ADDRESS].
func (f *fields) port(s string) preemption.HostPort {
	rest, ip, _ := strings.Cut(s, "@")
	number, protocol, _ := strings.Cut(rest, "/")
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil {
		f.fail("port=%s: %q is not a port number: write something like 80, 80/UDP or 80/TCP@10.0.0.1", s, number)
	}
	return preemption.HostPort{Protocol: protocol, IP: ip, Port: int32(n)}
}

// toleration reads "key=… op=… value=… effect=…", each of which may be absent.
func (f *fields) toleration(s string) preemption.Toleration {
	sub := f.nested("toleration", s)
	t := preemption.Toleration{
		Key: sub.text("key"), Operator: preemption.TolerationOperator(sub.text("op")),
		Value: sub.text("value"), Effect: preemption.TaintEffect(sub.text("effect")),
	}
	f.adopt(sub)
	return t
}

// nested reads the arguments inside the value of a key.
func (f *fields) nested(key, s string) *fields {
	args, err := parseArgs(s)
	if err != nil {
		f.fail("%s: %v", key, err)
	}
	return &fields{line: f.line, args: args}
}

// adopt ends the work on nested arguments.
func (f *fields) adopt(sub *fields) {
	if err := sub.done(); err != nil && f.err == nil {
		f.err = err
	}
}

// budget reads "pdb NAME allowed=… …".
func (l *line) budget() (*preemption.PodDisruptionBudget, error) {
	f := l.fields()
	b := &preemption.PodDisruptionBudget{}
	b.Namespace, b.Name = splitName(f.word("the budget's name"))
	b.Allowed = int32(f.number("allowed", 32))
	if s, ok := f.take("disrupted"); ok {
		b.Disrupted = strings.Split(s, ",")
	}
	b.Selector = f.labelSelector()
	return b, f.done()
}

// labelSelector takes all that is left: labels that must match, expr=(KEY
// OPERATOR VALUE,…), or selector=empty or none.
func (f *fields) labelSelector() *preemption.Selector {
	s := &preemption.Selector{}
	for _, e := range f.all("expr") {
		words := strings.Fields(e)
		if len(words) < 2 || len(words) > 3 {
			f.fail("expr=(%s): want (KEY OPERATOR) or (KEY OPERATOR VALUE,VALUE)", e)
			continue
		}
		r := preemption.Requirement{Key: words[0], Operator: preemption.SelectorOperator(words[1])}
		if len(words) == 3 {
			r.Values = strings.Split(words[2], ",")
		}
		s.MatchExpressions = append(s.MatchExpressions, r)
	}
	special, isSpecial := f.take("selector")
	for _, a := range f.rest() {
		if s.MatchLabels == nil {
			s.MatchLabels = make(map[string]string)
		}
		s.MatchLabels[a.key] = a.value
	}
	conditions := len(s.MatchExpressions) + len(s.MatchLabels)
	switch {
	case !isSpecial && conditions == 0:
		f.fail("%s: it has no selector: write labels such as app=web, expr=(…), selector=empty or selector=none", f.line.verb)
	case !isSpecial:
	case conditions > 0 || special != "empty" && special != "none":
		f.fail("selector=%s: want selector=empty or selector=none, and then no labels", special)
	case special == "none":
		return nil
	}
	return s
}

var modes = map[string]preemption.DisruptionMode{"all": preemption.DisruptAll, "single": preemption.DisruptSingle}

// group reads "group NAME prio=… mode=… parent=…".
func (l *line) group() (*preemption.PodGroup, error) {
	f := l.fields()
	g := &preemption.PodGroup{}
	g.Namespace, g.Name = splitName(f.word("the group's name"))
	g.Priority, g.DisruptionMode, g.Parent = int32(f.number("prio", 32)), choice(f, "mode", modes, "all or single"), f.text("parent")
	return g, f.done()
}

// composite reads "composite NAME prio=… mode=… parent=…".
func (l *line) composite() (*preemption.CompositePodGroup, error) {
	g, err := l.group()
	return (*preemption.CompositePodGroup)(g), err
}

// nameOf names a victim, seen from a node: the pod, or the group with its pods
// and where those run that are elsewhere.
func nameOf(v *preemption.Victim, seen *preemption.Node) string {
	if v.Group == "" {
		return podName(v.Pods[0])
	}
	names := make([]string, len(v.Pods))
	for i, p := range v.Pods {
		names[i] = podName(p)
		if v.Nodes[i] != seen {
			names[i] += "@" + v.Nodes[i].Name
		}
	}
	return joinName(v.Pods[0].Namespace, v.Group) + "(" + strings.Join(names, " ") + ")"
}

func podName(p *preemption.Pod) string { return joinName(p.Namespace, p.Name) }

func podNames(pods []*preemption.Pod) string {
	names := make([]string, len(pods))
	for i, p := range pods {
		names[i] = podName(p)
	}
	return strings.Join(names, " ")
}

func victimNames(victims []*preemption.Victim, seen *preemption.Node) string {
	names := make([]string, len(victims))
	for i, v := range victims {
		names[i] = nameOf(v, seen)
	}
	return strings.Join(names, " ")
}

func budgetNames(budgets []*preemption.PodDisruptionBudget) string {
	names := make([]string, len(budgets))
	for i, b := range budgets {
		names[i] = joinName(b.Namespace, b.Name)
	}
	return strings.Join(names, " ")
}
