package text

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/printers"
)

// writer remembers the first error, so that printing needs to check only once.
type writer struct {
	io.Writer
	width int // of the terminal, 0 for as wide as it takes
	err   error
}

func (w *writer) printf(format string, args ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.Writer, format, args...)
	}
}

// paragraph prints a text, in lines that fit, each after the first indented by as
// much as its beginning.
func (w *writer) paragraph(indent, text string, paint func(string) string) {
	if paint == nil {
		paint = func(s string) string { return s }
	}
	for _, line := range wrapped(text, w.width-len(indent)) {
		w.printf("%s\n", paint(indent+line))
		indent = strings.Repeat(" ", len(indent))
	}
}

// wrapped breaks a text between words. A word that is too long has a line to
// itself.
func wrapped(text string, width int) []string {
	if width <= 0 || utf8.RuneCountInString(text) <= width {
		return []string{text}
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// Fit writes a text of others in lines that fit: those that do not go on in the next,
// indented. Words that are longer than a line are broken.
func (p *Printer) Fit(text string) error {
	w := p.writer()
	for line := range strings.Lines(text) {
		for _, part := range folded(strings.TrimSuffix(line, "\n"), w.width) {
			w.printf("%s\n", part)
		}
	}
	return w.err
}

// folded breaks a line where there is a space, and goes on four columns further in
// than it begins.
func folded(line string, width int) []string {
	rest := []rune(strings.TrimRight(line, " "))
	if width <= 0 || len(rest) <= width {
		return []string{string(rest)}
	}
	indent := min(len(rest)-len([]rune(strings.TrimLeft(line, " ")))+4, width/2)
	var parts []string
	for from := 0; len(rest) > width; from = indent {
		at := width
		for at > from && rest[at] != ' ' {
			at--
		}
		if at == from {
			at = width
		}
		parts = append(parts, strings.TrimRight(string(rest[:at]), " "))
		rest = []rune(strings.Repeat(" ", indent) + strings.TrimLeft(string(rest[at:]), " "))
	}
	return append(parts, string(rest))
}

func (w *writer) section(title string) {
	w.printf("\n")
	w.paragraph("", title+":", nil)
}

func (w *writer) table(t *table) { w.print(t, false) }

// rows prints the table without its header.
func (w *writer) rows(t *table) { w.print(t, true) }

func (w *writer) print(t *table, headless bool) {
	if w.err != nil {
		return
	}
	fitted := t.fitted(w.width, headless)
	w.err = printers.NewTablePrinter(printers.PrintOptions{NoHeaders: headless}).PrintObj(fitted, w.Writer)
}

// gap is how far kubectl keeps columns apart.
const gap = 3

// A table is one as kubectl prints them. On a terminal that is too narrow its
// columns shrink one after another: in the order given, each down to its least
// width before the next one does. If that is not enough they are left out in the
// same order. The names of columns are in capitals there, numbers never shrink.
type table struct {
	columns []string
	rows    [][]string
	// shrink lists the columns that may, the least important first, with their least
	// widths.
	shrink []shrinking
}

type shrinking struct {
	column string
	least  int
}

func newTable(columns ...string) *table { return &table{columns: columns} }

// shrinking says in which order columns shrink.
func (t *table) shrinking(order ...shrinking) *table {
	t.shrink = order
	return t
}

func (t *table) add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.rows = append(t.rows, row)
}

// fitted returns the table as wide as there is room for.
func (t *table) fitted(width int, headless bool) *metav1.Table {
	widths := make([]int, len(t.columns))
	for i, name := range t.columns {
		if !headless {
			widths[i] = utf8.RuneCountInString(name)
		}
		for _, row := range t.rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	left := make([]bool, len(t.columns)) // left out
	total := func() int {
		sum := -gap
		for i := range widths {
			if !left[i] {
				sum += widths[i] + gap
			}
		}
		return sum
	}
	if width > 0 {
		for _, s := range t.shrink {
			i := t.index(s.column)
			if over := total() - width; i >= 0 && over > 0 {
				widths[i] = min(widths[i], max(s.least, widths[i]-over))
			}
		}
		for _, s := range t.shrink {
			if i := t.index(s.column); i >= 0 && total() > width {
				left[i] = true
			}
		}
	}
	out := &metav1.Table{}
	for i, name := range t.columns {
		if !left[i] {
			out.ColumnDefinitions = append(out.ColumnDefinitions, metav1.TableColumnDefinition{Name: clipped(name, widths[i]), Type: "string"})
		}
	}
	for _, row := range t.rows {
		var cells []any
		for i, cell := range row {
			if !left[i] {
				cells = append(cells, clipped(cell, widths[i]))
			}
		}
		out.Rows = append(out.Rows, metav1.TableRow{Cells: cells})
	}
	return out
}

func (t *table) index(column string) int {
	for i, name := range t.columns {
		if name == column {
			return i
		}
	}
	return -1
}

// cut is what a text is shortened with. The writer of tables counts bytes.
const cut = ".."

// clipped shortens a text in its middle: names differ at both ends.
func clipped(s string, width int) string {
	runes := []rune(s)
	if width <= 0 || len(runes) <= width {
		return s
	}
	if width <= len(cut) {
		return string(runes[:width])
	}
	head := (width - len(cut)) / 2
	return string(runes[:head]) + cut + string(runes[len(runes)-(width-len(cut)-head):])
}
