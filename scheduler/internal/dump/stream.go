package dump

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A place is where in a source something stands.
type place struct {
	source string
	line   int // from 1
	item   int // of the outermost list, from 1; 0 outside lists
}

func (p place) String() string {
	s := fmt.Sprintf("%s: line %d", p.source, p.line)
	if p.item > 0 {
		s += fmt.Sprintf(" (item %d of the list)", p.item)
	}
	return s
}

// A piece is one object as compact JSON, without the parts that nothing here
// looks at.
type piece struct {
	json []byte // valid until the next piece
	// version and kind are what the object says of itself, or its list says of it.
	version, kind string
	at            place
}

// stream cuts concatenated JSON objects into pieces as it reads, so that no more
// than one object is held at a time. Lists, also lists in lists, are taken apart.
//
// What is kept is checked when it is decoded; of what is left out only strings
// and brackets are.
type stream struct {
	in   io.Reader
	buf  []byte
	pos  int // next byte in buf
	end  int
	err  error // what in returned, once
	line int
	item int

	source string
	out    []byte // the object being copied
	emit   func(piece) error
}

// deepest is how far brackets may be nested.
const deepest = 1000

func newStream(in io.Reader, source string, emit func(piece) error) *stream {
	return &stream{in: in, buf: make([]byte, 1<<16), line: 1, source: source, emit: emit}
}

func (s *stream) at() place { return place{s.source, s.line, s.item} }

func (s *stream) errorf(format string, args ...any) error {
	return fmt.Errorf("%v: %w", s.at(), fmt.Errorf(format, args...))
}

// cut is the error of an input that ends too early.
func (s *stream) cut() error {
	if s.err != nil && !errors.Is(s.err, io.EOF) {
		return s.errorf("%w", s.err)
	}
	return s.errorf("the input ends in the middle of an object: is it truncated?")
}

// fill reads more. It reports false at the end of the input.
func (s *stream) fill() bool {
	for s.err == nil {
		n, err := s.in.Read(s.buf)
		s.pos, s.end, s.err = 0, n, err
		if n > 0 {
			return true
		}
	}
	return false
}

// peek returns the next byte that is not white space, 0 at the end.
func (s *stream) peek() byte {
	for {
		for s.pos < s.end {
			switch c := s.buf[s.pos]; c {
			case ' ', '\t', '\r':
			case '\n':
				s.line++
			default:
				return c
			}
			s.pos++
		}
		if !s.fill() {
			return 0
		}
	}
}

// errDocument ends JSON where a YAML document follows.
var errDocument = errors.New("a YAML document follows")

// run cuts the whole input.
func (s *stream) run() error {
	for {
		switch c := s.peek(); c {
		case 0:
			if s.err != nil && !errors.Is(s.err, io.EOF) || s.pos < s.end {
				return s.cut()
			}
			return nil
		case '{':
			s.item = 0
			if err := s.object("", "", 0); err != nil {
				return err
			}
		case '-':
			return errDocument
		case '[':
			return s.errorf("an array is no Kubernetes object: want an object or a list with a kind")
		default:
			return s.errorf("%q is no start of a JSON object", c)
		}
	}
}

// held is an item of a list that does not say its kind, and whose list has not
// yet.
type held struct {
	json []byte
	at   place
}

// object cuts one object, which is the next thing. Unless it says otherwise
// itself it is of the given version and kind.
func (s *stream) object(version, kind string, depth int) error {
	at, start := s.at(), len(s.out)
	list, waiting := false, []held(nil)
	err := s.fields(fieldsKept, depth, func(name string) (bool, error) {
		switch {
		case name == "apiVersion" || name == "kind":
			from := len(s.out)
			if s.peek() != '"' {
				return false, nil
			}
			if err := s.str(true); err != nil {
				return false, err
			}
			if name == "kind" {
				kind = string(s.out[from+1 : len(s.out)-1])
			} else {
				version = string(s.out[from+1 : len(s.out)-1])
			}
			return true, nil
		case name == "items" && s.peek() == '[':
			list = true
			s.drop(`"items":`)
			var err error
			waiting, err = s.items(version, kind, depth+1)
			s.out = append(s.out, `"items":null`...)
			return true, err
		}
		return false, nil
	})
	if err != nil {
		return err
	}
	if !list && !isList(version, kind) {
		err = s.emit(piece{s.out[start:], version, kind, at})
	}
	s.out = s.out[:start]
	for _, h := range waiting {
		if err != nil {
			break
		}
		err = s.emit(piece{h.json, version, strings.TrimSuffix(kind, "List"), h.at})
	}
	return err
}

// drop takes the last bytes written back.
func (s *stream) drop(text string) { s.out = s.out[:len(s.out)-len(text)] }

// isList reports whether objects of the kind are lists, also where they have no
// items.
func isList(version, kind string) bool {
	return version != "" && strings.HasSuffix(kind, "List") && len(kind) > len("List") || version == "v1" && kind == "List"
}

// items cuts the items of a list. Those that cannot be emitted as long as the
// list's kind is not known are returned.
func (s *stream) items(version, kind string, depth int) ([]held, error) {
	itemVersion, itemKind := "", ""
	if isList(version, kind) && kind != "List" {
		itemVersion, itemKind = version, strings.TrimSuffix(kind, "List")
	}
	var waiting []held
	emit := s.emit
	if itemKind == "" {
		s.emit = func(p piece) error {
			if p.kind != "" || p.version != "" {
				return emit(p)
			}
			waiting = append(waiting, held{bytes.Clone(p.json), p.at})
			return nil
		}
		defer func() { s.emit = emit }()
	}
	n := 0
	err := s.elements(depth, func() error {
		n++
		if depth == 1 {
			s.item = n
		}
		if c := s.peek(); c != '{' {
			return s.errorf("an item that starts with %q is no object", c)
		}
		return s.object(itemVersion, itemKind, depth+1)
	})
	if depth == 1 {
		s.item = 0
	}
	return waiting, err
}

// elements goes through an array, which is the next thing.
func (s *stream) elements(depth int, each func() error) error {
	if depth > deepest {
		return s.errorf("brackets are nested more than %d deep", deepest)
	}
	s.pos++ // the bracket
	if s.peek() == ']' {
		s.pos++
		return nil
	}
	for {
		if err := each(); err != nil {
			return err
		}
		switch c := s.peek(); c {
		case ',':
			s.pos++
		case ']':
			s.pos++
			return nil
		case 0:
			return s.cut()
		default:
			return s.errorf("%q after an element of an array", c)
		}
	}
}

// fields copies an object, which is the next thing, without the fields that are
// not kept. Take may copy a field's value in its own way, and says whether it did.
func (s *stream) fields(kept *keep, depth int, take func(name string) (bool, error)) error {
	if depth > deepest {
		return s.errorf("brackets are nested more than %d deep", deepest)
	}
	s.pos++ // the bracket
	s.out = append(s.out, '{')
	if s.peek() == '}' {
		s.pos++
		s.out = append(s.out, '}')
		return nil
	}
	for {
		// The name.
		if c := s.peek(); c != '"' {
			if c == 0 {
				return s.cut()
			}
			return s.errorf("%q where a field's name should be", c)
		}
		start := len(s.out)
		if err := s.str(true); err != nil {
			return err
		}
		name := s.out[start+1 : len(s.out)-1]
		below, drop := kept.field(name)
		if s.peek() != ':' {
			return s.errorf("no colon after the field's name %q", name)
		}
		s.pos++
		s.out = append(s.out, ':')

		// The value.
		var taken bool
		var err error
		if take != nil {
			taken, err = take(string(name))
		}
		if !taken && err == nil {
			if drop {
				s.out = s.out[:start]
			}
			err = s.value(below, !drop, depth+1)
		}
		if err != nil {
			return err
		}

		// What follows.
		if !drop {
			s.out = append(s.out, ',')
		}
		switch c := s.peek(); c {
		case ',':
			s.pos++
		case '}':
			s.pos++
			if s.out[len(s.out)-1] == ',' {
				s.drop(",")
			}
			s.out = append(s.out, '}')
			return nil
		case 0:
			return s.cut()
		default:
			return s.errorf("%q after a field's value", c)
		}
	}
}

// value copies or skips the value that is the next thing.
func (s *stream) value(kept *keep, copied bool, depth int) error {
	start := len(s.out)
	var err error
	switch c := s.peek(); c {
	case 0:
		return s.cut()
	case '{':
		err = s.fields(kept, depth, nil)
	case '[':
		s.out = append(s.out, '[')
		first := true
		err = s.elements(depth, func() error {
			if !first {
				s.out = append(s.out, ',')
			}
			first = false
			return s.value(kept, true, depth+1)
		})
		s.out = append(s.out, ']')
	case '"':
		return s.str(copied)
	default:
		err = s.word()
	}
	if !copied {
		s.out = s.out[:start]
	}
	return err
}

// word copies a number, true, false or null.
func (s *stream) word() error {
	for {
		for s.pos < s.end {
			c := s.buf[s.pos]
			switch {
			case c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E':
				s.out = append(s.out, c)
				s.pos++
			case c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t':
				return nil
			default:
				return s.errorf("%q where a value should be", c)
			}
		}
		if !s.fill() {
			return nil // what misses its bracket says so
		}
	}
}

// str copies or skips the string that is the next thing.
func (s *stream) str(copied bool) error {
	s.pos++ // the quote
	if copied {
		s.out = append(s.out, '"')
	}
	escaped := false
	for {
		start := s.pos
		for s.pos < s.end {
			c := s.buf[s.pos]
			s.pos++
			switch {
			case escaped:
				escaped = false
			case c == '\\':
				escaped = true
			case c == '"':
				if copied {
					s.out = append(s.out, s.buf[start:s.pos]...)
				}
				return nil
			case c < ' ':
				return s.errorf("a control character in a string")
			}
		}
		if copied {
			s.out = append(s.out, s.buf[start:s.pos]...)
		}
		if !s.fill() {
			return s.cut()
		}
	}
}
