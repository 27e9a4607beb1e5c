package dump

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/yaml"
)

// documents cuts YAML documents into pieces. A document that is a list, in the
// form in which kubectl prints one, is cut item by item: a parser holds many times
// what it reads.
func documents(in io.Reader, source string, line int, emit func(piece) error) error {
	r := bufio.NewReaderSize(in, 1<<16)
	var doc []byte
	start := line
	for {
		text, err := r.ReadBytes('\n')
		separator := bytes.HasPrefix(text, []byte("---")) && (len(text) == 3 || strings.ContainsRune(" \t\r\n", rune(text[3])))
		if separator || err != nil {
			if !separator {
				doc = append(doc, text...)
			}
			if cut := document(doc, place{source: source, line: start}, emit); cut != nil {
				return cut
			}
			doc, start = doc[:0], line+1
			if separator {
				// What follows the separator on its line is part of the document.
				if rest := bytes.TrimSpace(text[3:]); len(rest) > 0 && rest[0] != '#' {
					doc, start = append(append(doc, text[3:]...), '\n'), line
				}
			}
		} else {
			doc = append(doc, text...)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%v: %w", place{source: source, line: line}, err)
		}
		line++
	}
}

// document cuts one document.
func document(doc []byte, at place, emit func(piece) error) error {
	if len(bytes.TrimSpace(doc)) == 0 {
		return nil
	}
	if head, items, ok := splitList(doc); ok {
		return listed(head, items, at, emit)
	}
	data, err := yaml.YAMLToJSON(doc)
	if err != nil {
		return fmt.Errorf("%v: %w", at, shortened(err))
	}
	if bytes.Equal(data, []byte("null")) {
		return nil // comments alone
	}
	s := newStream(bytes.NewReader(data), at.source, func(p piece) error {
		p.at = place{source: at.source, line: at.line, item: p.at.item}
		return emit(p)
	})
	s.line = at.line
	return s.run()
}

// listed emits the items of a list that was split.
func listed(head []byte, items []item, at place, emit func(piece) error) error {
	var list struct{ APIVersion, Kind string }
	if err := yaml.Unmarshal(head, &list); err != nil {
		return fmt.Errorf("%v: %w", at, shortened(err))
	}
	version, kind := "", ""
	if isList(list.APIVersion, list.Kind) && list.Kind != "List" {
		version, kind = list.APIVersion, strings.TrimSuffix(list.Kind, "List")
	}
	for i, x := range items {
		here := place{at.source, at.line + x.line, i + 1}
		data, err := yaml.YAMLToJSON(withoutManagedFields(x.text))
		if err != nil {
			return fmt.Errorf("%v: %w", here, shortened(err))
		}
		s := newStream(bytes.NewReader(data), at.source, func(p piece) error {
			p.at = here
			return emit(p)
		})
		s.line, s.item = here.line, here.item
		if s.peek() != '{' {
			return fmt.Errorf("%v: no object", here)
		}
		if err := s.object(version, kind, 1); err != nil {
			return err
		}
	}
	return nil
}

// An item is the text of one, and how many lines into the document it starts.
type item struct {
	text []byte
	line int
}

// splitList splits a document into the items below its top-level key "items" and
// the rest. It reports false for what does not have that form to the letter:
// items at the margin, as kubectl prints them, or indented by two. What is inside
// an item is indented further, whatever it is.
func splitList(doc []byte) (head []byte, items []item, ok bool) {
	if bytes.Contains(doc, []byte("\t")) || hasAnchors(doc) {
		return nil, nil, false
	}
	in, dash, indent := false, []byte(nil), 0
	for n, line := range lines(doc) {
		text := bytes.TrimRight(line, " \r\n")
		switch {
		case !in && bytes.Equal(text, []byte("items:")):
			in = true
		case !in:
			head = append(head, line...)
		case len(text) == 0 || bytes.HasPrefix(bytes.TrimLeft(text, " "), []byte("#")):
			if len(items) > 0 { // a blank line may be part of a block of text
				last := &items[len(items)-1]
				last.text = append(last.text, line...)
			}
		case dash == nil && bytes.HasPrefix(bytes.TrimLeft(text, " "), []byte("- ")):
			indent = len(text) - len(bytes.TrimLeft(text, " "))
			if indent != 0 && indent != 2 {
				return nil, nil, false
			}
			dash = append(bytes.Repeat([]byte(" "), indent), "- "...)
			fallthrough
		case dash != nil && bytes.HasPrefix(line, dash):
			first := append(bytes.Repeat([]byte(" "), indent+2), line[indent+2:]...)
			items = append(items, item{first, n})
		case dash != nil && len(line) > indent && bytes.HasPrefix(line, bytes.Repeat([]byte(" "), indent+1)):
			last := &items[len(items)-1]
			last.text = append(last.text, line...)
		case line[0] != ' ' && line[0] != '-':
			in = false // another top-level key
			head = append(head, line...)
		default:
			return nil, nil, false
		}
	}
	return head, items, len(items) > 0
}

// hasAnchors reports whether an item might refer to another one. Where in doubt it
// does.
func hasAnchors(doc []byte) bool {
	return bytes.Contains(doc, []byte(": *")) || bytes.Contains(doc, []byte("- *")) || bytes.Contains(doc, []byte("<<:"))
}

// withoutManagedFields leaves out the longest part of an object's metadata, where
// it stands as kubectl prints it: parsing YAML takes much longer than recognising
// it. If it only looks so, inside a text, that text is one that nothing here looks
// at.
func withoutManagedFields(text []byte) []byte {
	const key = "managedFields:"
	if !bytes.Contains(text, []byte(key)) {
		return text
	}
	out := make([]byte, 0, len(text))
	base := len(text) - len(bytes.TrimLeft(text, " "))
	inMetadata, skipping := false, false
	for _, line := range lines(text) {
		trimmed := bytes.TrimLeft(line, " ")
		depth, name := len(line)-len(trimmed), bytes.TrimRight(trimmed, " \r\n")
		inside := depth > base+2 || depth == base+2 && bytes.HasPrefix(trimmed, []byte("- "))
		if skipping && inside {
			continue
		}
		if depth <= base && len(name) > 0 {
			inMetadata = bytes.Equal(name, []byte("metadata:"))
		}
		if skipping = inMetadata && depth == base+2 && bytes.Equal(name, []byte(key)); !skipping {
			out = append(out, line...)
		}
	}
	return out
}

// lines goes through the lines of a text, each with its end.
func lines(text []byte) func(yield func(int, []byte) bool) {
	return func(yield func(int, []byte) bool) {
		for n := 0; len(text) > 0; n++ {
			end := bytes.IndexByte(text, '\n') + 1
			if end == 0 {
				end = len(text)
			}
			if !yield(n, text[:end]) {
				return
			}
			text = text[end:]
		}
	}
}

// shortened is an error of a parser that may repeat what it could not read: its
// first line, as far as a terminal's goes.
func shortened(err error) error {
	const most = 160
	text, _, _ := strings.Cut(err.Error(), "\n")
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + " ..."
	}
	return errors.New(text)
}
