package scenario

import (
	"fmt"
	"strings"
)

// A File is a scenario file, taken apart into directives.
type File struct {
	Name   string
	Blocks []Block
	tail   []string // comments and blank lines after the last block
}

// A Block is one directive with its input and the output expected of it.
type Block struct {
	Want string // the lines expected, without the last newline

	comment   []string // the lines before it: why, and blank ones
	directive line
	input     []line
}

// Line returns the number of the line that the directive is on.
func (b *Block) Line() int { return b.directive.number }

// Directive returns the line of the directive as it was written.
func (b *Block) Directive() string { return b.directive.raw }

// An Error says what is wrong with a line of a scenario file, and what to do.
type Error struct {
	File    string
	Line    int
	Problem string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Problem) }

// separator divides input from output.
const separator = "----"

// emptyLine stands for an empty line of output, since an empty line ends it.
const emptyLine = "."

// Parse takes the text of a file apart. It does not look at what the lines say.
func Parse(name, text string) (*File, error) {
	f := &File{Name: name}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for at := 0; at < len(lines); {
		start := at
		for at < len(lines) && isRemark(lines[at]) {
			at++
		}
		comment := lines[start:at]
		if at == len(lines) {
			f.tail = comment
			break
		}
		if lines[at] == separator {
			return nil, &Error{name, at + 1, "output without a directive before it: write the directive, or remove the " + separator}
		}
		block := Block{comment: comment}
		first := at
		for at < len(lines) && lines[at] != separator {
			if strings.TrimSpace(lines[at]) == "" {
				return nil, &Error{name, at + 1, fmt.Sprintf("an empty line inside the input of the directive on line %d: end its input with %s", first+1, separator)}
			}
			l, err := parseLine(name, at+1, lines[at])
			if err != nil {
				return nil, err
			}
			if at == first {
				block.directive = l
			} else {
				block.input = append(block.input, l)
			}
			at++
		}
		if at == len(lines) {
			return nil, &Error{name, first + 1, fmt.Sprintf("the directive has no end: put a line %s after its input", separator)}
		}
		at++
		start = at
		for at < len(lines) && lines[at] != "" {
			at++
		}
		block.Want = decode(lines[start:at])
		f.Blocks = append(f.Blocks, block)
	}
	return f, nil
}

// isRemark reports whether the line is a comment or blank.
func isRemark(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || strings.HasPrefix(s, "#")
}

// Format writes the file with these outputs, one a block, in the place of those
// expected.
func (f *File) Format(outputs []string) string {
	var b strings.Builder
	for i := range f.Blocks {
		block := &f.Blocks[i]
		for _, s := range block.comment {
			b.WriteString(s + "\n")
		}
		b.WriteString(block.directive.raw + "\n")
		for _, l := range block.input {
			b.WriteString(l.raw + "\n")
		}
		b.WriteString(separator + "\n" + encode(outputs[i]))
	}
	for _, s := range f.tail {
		b.WriteString(s + "\n")
	}
	return b.String()
}

func decode(lines []string) string {
	out := make([]string, len(lines))
	for i, s := range lines {
		if s != emptyLine {
			out[i] = s
		}
	}
	return strings.Join(out, "\n")
}

func encode(output string) string {
	if output == "" {
		return ""
	}
	lines := strings.Split(output, "\n")
	for i, s := range lines {
		if s == "" {
			lines[i] = emptyLine
		}
	}
	return strings.Join(lines, "\n") + "\n"
}
