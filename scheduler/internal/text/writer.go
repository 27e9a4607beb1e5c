package text

import (
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/printers"
)

// writer remembers the first error, so that printing needs to check only once.
type writer struct {
	io.Writer
	err error
}

func (w *writer) printf(format string, args ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.Writer, format, args...)
	}
}

func (w *writer) section(title string) { w.printf("\n%s:\n", title) }

func (w *writer) table(t *metav1.Table) {
	if w.err == nil {
		w.err = printers.NewTablePrinter(printers.PrintOptions{}).PrintObj(t, w.Writer)
	}
}

// rows prints the table without its header.
func (w *writer) rows(t *metav1.Table) {
	if w.err == nil {
		w.err = printers.NewTablePrinter(printers.PrintOptions{NoHeaders: true}).PrintObj(t, w.Writer)
	}
}

// newTable makes a table with columns as kubectl prints them.
func newTable(columns ...string) *metav1.Table {
	t := &metav1.Table{}
	for _, c := range columns {
		t.ColumnDefinitions = append(t.ColumnDefinitions, metav1.TableColumnDefinition{Name: c, Type: "string"})
	}
	return t
}

func addRow(t *metav1.Table, cells ...any) { t.Rows = append(t.Rows, metav1.TableRow{Cells: cells}) }
