package scenario

import (
	"fmt"
	"slices"
	"strings"

	"example.com/preemption"
)

// releases are those that every question is put to, the oldest first.
var (
	releases = preemption.Releases()
	newest   = releases[len(releases)-1]
)

// A world is what the directives of a file act on: a cluster for each release,
// and how they are evaluated.
type world struct {
	model    model
	clusters map[preemption.Release]*preemption.Cluster
	settings settings
}

// directives are what a block can ask for.
var directives = map[string]func(*world, *Block) (string, error){
	"cluster":     (*world).cluster,
	"update":      (*world).update,
	"state":       (*world).state,
	"warnings":    (*world).warnings,
	"evaluator":   (*world).evaluator,
	"select":      (*world).selectVictims,
	"preempt":     (*world).preempt,
	"commit":      (*world).commit,
	"examine":     (*world).examine,
	"explain":     (*world).explain,
	"message":     (*world).message,
	"gang":        (*world).gang,
	"importance":  (*world).importance,
	"filter-pdb":  (*world).filterPDB,
	"pick":        (*world).pick,
	"sampling":    (*world).sampling,
	"disruptions": (*world).disruptions,
	"simulate":    (*world).simulate,
}

// Run carries out the directives of the file in order and returns what each
// prints. An error means that the file is not understood, not that an answer is
// other than expected.
func (f *File) Run() (outputs []string, err error) {
	w := &world{}
	for i := range f.Blocks {
		b := &f.Blocks[i]
		run, ok := directives[b.directive.verb]
		if !ok {
			return nil, b.directive.errorf("directive %q is not known: the package documentation lists them", b.directive.verb)
		}
		out, err := run(w, b)
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, out)
	}
	return outputs, nil
}

// cluster makes a new cluster of the objects of the input, for every release,
// with the default evaluator. It prints what is wrong with them.
func (w *world) cluster(b *Block) (string, error) {
	if err := b.directive.fields().done(); err != nil {
		return "", err
	}
	w.model, w.clusters, w.settings = model{}, nil, settings{}
	for i := range b.input {
		l := &b.input[i]
		if l.verb == "" {
			continue
		}
		known, err := w.model.add(l)
		if err != nil {
			return "", err
		}
		if !known {
			return "", l.errorf("%q is not known here: want node, pod, pdb, group or composite", l.verb)
		}
	}
	clusters, err := w.model.build()
	if err != nil {
		return err.Error(), nil
	}
	w.clusters = clusters
	return "", nil
}

// build makes the cluster of every release. What is valid does not depend on it.
func (m *model) build() (map[preemption.Release]*preemption.Cluster, error) {
	clusters := make(map[preemption.Release]*preemption.Cluster, len(releases))
	for _, r := range releases {
		c, err := preemption.NewCluster(m.state(r))
		if err != nil {
			return nil, err
		}
		clusters[r] = c
	}
	return clusters, nil
}

// ready complains if there is no cluster to ask.
func (w *world) ready(b *Block) error {
	if w.clusters == nil {
		return b.directive.errorf("%s needs a cluster, and there is none: put a valid cluster directive before it", b.directive.verb)
	}
	return nil
}

// state prints the nodes in order, each with its pods and those nominated to it.
func (w *world) state(b *Block) (string, error) {
	if err := b.directive.fields().done(); err != nil {
		return "", err
	}
	if err := w.ready(b); err != nil {
		return "", err
	}
	return w.describe(w.clusters[newest]), nil
}

func (w *world) describe(c *preemption.Cluster) string {
	var out output
	for _, n := range c.Nodes() {
		row := []string{n.Name, podNames(c.PodsOn(n))}
		if nominated := c.NominatedTo(n.Name); len(nominated) > 0 {
			row[1] = strings.TrimSpace(row[1] + "  nominated: " + podNames(nominated))
		}
		out.row(row...)
	}
	return out.String()
}

// warnings prints what the cluster finds fault with, for each release.
func (w *world) warnings(b *Block) (string, error) {
	f := b.directive.fields()
	chosen := f.releases()
	if err := f.done(); err != nil {
		return "", err
	}
	if err := w.ready(b); err != nil {
		return "", err
	}
	return perRelease(chosen, func(r preemption.Release) string {
		var out output
		for _, x := range w.clusters[r].Warnings() {
			out.printf("%v", x)
		}
		return out.String()
	}), nil
}

// releases takes release=1.36,1.38; absent, it is all of them.
func (f *fields) releases() []preemption.Release {
	s, ok := f.take("release")
	if !ok {
		return releases
	}
	var chosen []preemption.Release
	for name := range strings.SplitSeq(s, ",") {
		r, err := preemption.ParseRelease(name)
		if err != nil {
			f.fail("release=%s: %v", s, err)
		}
		if r == preemption.ReleaseNewest {
			r = newest
		}
		chosen = append(chosen, r)
	}
	return chosen
}

// perRelease prints what f does for each release: once, if they agree, else
// under the names of the releases that do.
func perRelease(chosen []preemption.Release, f func(preemption.Release) string) string {
	type answer struct {
		text string
		by   []string
	}
	var answers []answer
	for _, r := range chosen {
		text := f(r)
		i := slices.IndexFunc(answers, func(a answer) bool { return a.text == text })
		if i < 0 {
			i = len(answers)
			answers = append(answers, answer{text: text})
		}
		answers[i].by = append(answers[i].by, r.String())
	}
	if len(answers) == 1 {
		return answers[0].text
	}
	var out output
	for _, a := range answers {
		out.printf("%s:", strings.Join(a.by, " "))
		if a.text == "" {
			a.text = "nothing"
		}
		for text := range strings.SplitSeq(a.text, "\n") {
			out.printf("%s", strings.TrimRight("  "+text, " "))
		}
	}
	return out.String()
}

// output collects lines. Rows that follow each other are set in columns.
type output struct {
	lines []string
	rows  [][]string
}

func (o *output) printf(format string, args ...any) {
	o.flush()
	o.lines = append(o.lines, strings.Split(strings.TrimRight(fmt.Sprintf(format, args...), "\n"), "\n")...)
}

func (o *output) row(cells ...string) { o.rows = append(o.rows, cells) }

// flush sets the pending rows in columns two spaces apart.
func (o *output) flush() {
	var width []int
	for _, row := range o.rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], len(cell))
		}
	}
	for _, row := range o.rows {
		var b strings.Builder
		for i, cell := range row {
			fmt.Fprintf(&b, "%-*s  ", width[i], cell)
		}
		o.lines = append(o.lines, strings.TrimRight(b.String(), " "))
	}
	o.rows = nil
}

func (o *output) String() string {
	o.flush()
	return strings.Join(o.lines, "\n")
}
