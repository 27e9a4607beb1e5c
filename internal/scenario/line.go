package scenario

import (
	"fmt"
	"strconv"
	"strings"
)

// A line is a line of a file, taken apart into its first word and arguments.
type line struct {
	file   string
	number int
	raw    string
	verb   string
	args   []arg
}

// An arg is a word (then key is "") or key=value. Parentheses and quotes around
// the value are gone.
type arg struct{ key, value string }

func parseLine(file string, number int, raw string) (line, error) {
	l := line{file: file, number: number, raw: raw}
	args, err := parseArgs(raw)
	if err != nil {
		return l, l.errorf("%v", err)
	}
	if len(args) == 0 {
		return l, nil // a comment amid the input
	}
	if args[0].key != "" {
		return l, l.errorf("it begins with %s=%s: begin with a word that says what the line is", args[0].key, args[0].value)
	}
	l.verb, l.args = args[0].value, args[1:]
	return l, nil
}

func (l *line) errorf(format string, args ...any) error {
	return &Error{l.file, l.number, fmt.Sprintf(format, args...)}
}

// parseArgs splits text at spaces outside of parentheses and quotes. A word
// that begins with # is a comment up to the end.
func parseArgs(text string) ([]arg, error) {
	var args []arg
	for {
		text = strings.TrimLeft(text, " \t")
		if text == "" || text[0] == '#' {
			return args, nil
		}
		end, equals, err := scanWord(text)
		if err != nil {
			return nil, err
		}
		a := arg{value: text[:end]}
		if equals >= 0 {
			a.key, a.value = text[:equals], text[equals+1:end]
			if a.key == "" {
				return nil, fmt.Errorf("%q has nothing before the =: write key=value", text[:end])
			}
		}
		a.value = unwrap(a.value)
		args, text = append(args, a), text[end:]
	}
}

// scanWord finds the end of the first word and its first =, -1 if there is none.
func scanWord(text string) (end, equals int, err error) {
	depth, quoted := 0, false
	equals = -1
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth < 0 {
				return 0, 0, fmt.Errorf("a ) without a ( before it: balance them")
			}
		case c == '=' && depth == 0 && equals < 0:
			equals = i
		case (c == ' ' || c == '\t') && depth == 0:
			return i, equals, nil
		}
	}
	if quoted {
		return 0, 0, fmt.Errorf("a quote that is not closed: add the other %q", '"')
	}
	if depth > 0 {
		return 0, 0, fmt.Errorf("a ( that is not closed: add the )")
	}
	return len(text), equals, nil
}

// unwrap takes one pair of parentheses or quotes off.
func unwrap(s string) string {
	if len(s) < 2 {
		return s
	}
	if pair := s[:1] + s[len(s)-1:]; pair == "()" || pair == `""` {
		return s[1 : len(s)-1]
	}
	return s
}

// fields hands out the arguments of a line one by one. The first error sticks;
// done returns it, or complains of arguments that were not taken.
type fields struct {
	line *line
	args []arg
	err  error
}

func (l *line) fields() *fields {
	return &fields{line: l, args: append([]arg(nil), l.args...)}
}

func (f *fields) fail(format string, args ...any) {
	if f.err == nil {
		f.err = f.line.errorf(format, args...)
	}
}

// word takes the first bare word.
func (f *fields) word(what string) string {
	for i, a := range f.args {
		if a.key == "" {
			f.drop(i)
			return a.value
		}
	}
	f.fail("%s: %s is missing", f.line.verb, what)
	return ""
}

// words takes all bare words.
func (f *fields) words() []string {
	var all []string
	for i := 0; i < len(f.args); {
		if f.args[i].key == "" {
			all = append(all, f.args[i].value)
			f.drop(i)
			continue
		}
		i++
	}
	return all
}

// flag takes the bare word and reports whether it was there.
func (f *fields) flag(word string) bool {
	for i, a := range f.args {
		if a.key == "" && a.value == word {
			f.drop(i)
			return true
		}
	}
	return false
}

// take takes the value of a key that may be there once.
func (f *fields) take(key string) (string, bool) {
	all := f.all(key)
	if len(all) > 1 {
		f.fail("%s= is there %d times: give it once", key, len(all))
	}
	if len(all) == 0 {
		return "", false
	}
	return all[0], true
}

// takes takes key=value if it is there, and reports whether it was.
func (f *fields) takes(key, value string) bool {
	for i, a := range f.args {
		if a.key == key && a.value == value {
			f.drop(i)
			return true
		}
	}
	return false
}

// all takes every value of a key, in order.
func (f *fields) all(key string) []string {
	var values []string
	for i := 0; i < len(f.args); {
		if f.args[i].key == key {
			values = append(values, f.args[i].value)
			f.drop(i)
			continue
		}
		i++
	}
	return values
}

// text takes the value of a key, "" if it is absent.
func (f *fields) text(key string) string {
	s, _ := f.take(key)
	return s
}

// number takes an integer of so many bits, 0 if it is absent.
func (f *fields) number(key string, bits int) int64 {
	s, ok := f.take(key)
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, bits)
	if err != nil {
		f.fail("%s=%s is not an integer of %d bits", key, s, bits)
	}
	return n
}

// choice takes one of several words by which a key is spelled out.
func choice[T any](f *fields, key string, options map[string]T, want string) T {
	s, ok := f.take(key)
	v, known := options[s]
	if ok && !known {
		f.fail("%s=%s is not known: want %s", key, s, want)
	}
	return v
}

// rest takes all that is left, each key=value.
func (f *fields) rest() []arg {
	rest := f.args
	f.args = nil
	for _, a := range rest {
		if a.key == "" {
			f.fail("%s: %q is not expected here: remove it, or write key=value", f.line.verb, a.value)
		}
	}
	return rest
}

func (f *fields) done() error {
	if f.err == nil && len(f.args) > 0 {
		a := f.args[0]
		if a.key != "" {
			f.fail("%s: %s= is not known here: the package documentation lists what is", f.line.verb, a.key)
		} else {
			f.fail("%s: %q is not expected here: remove it", f.line.verb, a.value)
		}
	}
	return f.err
}

func (f *fields) drop(i int) {
	f.args = append(f.args[:i:i], f.args[i+1:]...)
}
