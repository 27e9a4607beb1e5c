package dump

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// standardInput is the name of a file that is none.
const standardInput = "-"

// open calls read with each source of that name: a file, the files of a
// directory, an address, or for "-" the reader.
func open(name string, recursive bool, stdin io.Reader, read func(r io.Reader, source string) error) error {
	if name == standardInput {
		return read(stdin, "standard input")
	}
	if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
		return openAddress(name, read)
	}
	files, err := filesOf(name, recursive)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := openFile(file, read); err != nil {
			return err
		}
	}
	return nil
}

func openFile(name string, read func(io.Reader, string) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return read(f, name)
}

func openAddress(name string, read func(io.Reader, string) error) error {
	answer, err := http.Get(name) //nolint:gosec // the user names it
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: the server answers %s", name, answer.Status)
	}
	return read(answer.Body, name)
}

// filesOf returns the file itself, or those in the directory that kubectl would
// read, in order.
func filesOf(name string, recursive bool) ([]string, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the path %q does not exist", name)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return []string{name}, nil
	}
	var files []string
	err = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != name && !recursive:
			return filepath.SkipDir
		case !d.IsDir() && slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(strings.TrimSuffix(path, ".gz"))):
			files = append(files, path)
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("the directory %q has no .json, .yaml or .yml files", name)
	}
	return files, err
}

// pieces cuts what a reader has, in either language, compressed or not.
func pieces(r io.Reader, source string, emit func(piece) error) error {
	in := bufio.NewReaderSize(r, 1<<16)
	if start, _ := in.Peek(2); bytes.Equal(start, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return fmt.Errorf("%s: %w", source, err)
		}
		in = bufio.NewReaderSize(z, 1<<16)
	}
	if mark, _ := in.Peek(3); string(mark) == "\xef\xbb\xbf" {
		_, _ = in.Discard(3)
	}
	// JSON is YAML too, but quicker to read.
	head, err := in.Peek(1 << 12)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return fmt.Errorf("%s: %w", source, err)
	}
	if !isJSON(head) {
		return documents(in, source, 1, emit)
	}
	s := newStream(in, source, emit)
	err = s.run()
	if errors.Is(err, errDocument) {
		rest := io.MultiReader(bytes.NewReader(s.buf[s.pos:s.end]), in)
		return documents(rest, source, s.line, emit)
	}
	return err
}

// isJSON reports whether what starts so is JSON. The fields of YAML that starts
// with a bracket have no quotes.
func isJSON(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	if len(head) == 0 || head[0] != '{' {
		return len(head) > 0 && head[0] == '['
	}
	head = bytes.TrimLeft(head[1:], " \t\r\n")
	return len(head) == 0 || head[0] == '"' || head[0] == '}'
}
