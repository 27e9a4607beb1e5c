package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/printers"

	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/explain"
	"example.com/preemption/scheduler/internal/page"
	"example.com/preemption/scheduler/internal/situation"
	"example.com/preemption/scheduler/internal/text"
)

// An output is the format asked for with -o.
type output struct {
	out     io.Writer
	format  string // "" and wide are for people, html is a page
	printer printers.ResourcePrinter
}

// output checks the format. Besides those of kubectl there may be formats of the
// command's own.
func (o *source) output(own ...string) (*output, error) {
	out := &output{out: o.Out, format: *o.print.OutputFormat}
	template := o.print.TemplatePrinterFlags.TemplateArgument
	switch {
	case out.format == "" && (template == nil || *template == ""), out.format == "wide", slices.Contains(own, out.format):
		return out, nil
	}
	var err error
	if out.printer, err = o.print.ToPrinter(); err != nil {
		formats := append(append([]string{"wide"}, own...), o.print.AllowedFormats()...)
		slices.Sort(formats)
		if strings.HasPrefix(err.Error(), "unable to match a printer") {
			err = fmt.Errorf("%q: want one of %s", out.format, strings.Join(formats, ", "))
		}
		return nil, fmt.Errorf("--output: %w", err)
	}
	if out.format == "" {
		out.format = "go-template"
	}
	return out, nil
}

// structured reports whether the output is for programs.
func (o *output) structured() bool { return o.printer != nil }

func (o *output) object(x runtime.Object) error { return o.printer.PrintObj(x, o.out) }

// podName is a pod to name.
type podName struct{ namespace, name string }

func victimNames(victims []explanation.Victim) []podName {
	var names []podName
	for _, v := range victims {
		names = append(names, podName{v.Namespace, v.Name})
	}
	return names
}

// names prints pods as kubectl does, each once.
func (o *output) names(pods []podName) error {
	seen := map[podName]bool{}
	for _, p := range pods {
		if seen[p] {
			continue
		}
		seen[p] = true
		x := &metav1.PartialObjectMetadata{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
			ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: p.name},
		}
		if err := o.object(x); err != nil {
			return err
		}
	}
	return nil
}

func (o *explainOptions) printReport(ctx context.Context, s *situation.Situation, r *explain.Report, out *output) error {
	o.progress.done()
	switch {
	case out.format == "html":
		return page.Write(ctx, o.Out, s, r)
	case out.format == "name":
		return out.names(victimNames(r.Victims))
	case out.structured():
		return out.object(&r.Explanation)
	}
	return o.text(s).Report(r)
}

func (o *explainOptions) text(s *situation.Situation) *text.Printer {
	p := o.source.text(s)
	p.Steps = o.steps
	return p
}

func (o *source) text(s *situation.Situation) *text.Printer {
	p := &text.Printer{
		Out:   o.Out,
		Wide:  *o.print.OutputFormat == "wide",
		Color: !o.noColor && os.Getenv("NO_COLOR") == "" && isTerminal(o.Out),
		Width: width(o.Out),
	}
	if s != nil {
		p.Now = s.Now
	}
	return p
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width is that of the terminal, or what COLUMNS says in its place; what is no
// terminal has no width.
func width(w any) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	n, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return n
}
