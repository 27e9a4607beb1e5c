package command

import (
	"os"

	"golang.org/x/term"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"example.com/preemption/scheduler/internal/explain"
	"example.com/preemption/scheduler/internal/situation"
	"example.com/preemption/scheduler/internal/text"
)

// structured reports whether the output is for programs.
func (o *explainOptions) structured() bool { return o.output == "json" || o.output == "yaml" }

func (o *explainOptions) print(s *situation.Situation, r *explain.Report) error {
	o.progress.done()
	if o.structured() {
		return o.printObject(&r.Explanation)
	}
	return o.text(s).Report(r)
}

func (o *explainOptions) printObject(x runtime.Object) error {
	printer, err := genericclioptions.NewJSONYamlPrintFlags().ToPrinter(o.output)
	if err != nil {
		return err
	}
	return printer.PrintObj(x, o.Out)
}

func (o *explainOptions) text(s *situation.Situation) *text.Printer {
	return &text.Printer{
		Out:   o.Out,
		Wide:  o.output == "wide",
		Color: !o.noColor && os.Getenv("NO_COLOR") == "" && isTerminal(o.Out),
		Now:   s.Now,
	}
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
