package golden

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Files returns the paths of the golden files in dir, in file-name order.
func Files(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if e.Type().IsRegular() && isGolden(e.Name()) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, nil
}

func isGolden(name string) bool {
	return strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".jsonl.gz")
}

// ReadDir returns the cases of all golden files in dir, in file-name order. A
// folder without such files has no cases, which is not an error.
func ReadDir(dir string) ([]Case, error) {
	paths, err := Files(dir)
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, path := range paths {
		more, err := ReadFile(path)
		if err != nil {
			return nil, err
		}
		cases = append(cases, more...)
	}
	return cases, nil
}

// ReadFile returns the cases of one file, decompressed if its name ends in
// .gz. An unknown field is an error: a test that overlooks part of a case
// proves nothing.
func ReadFile(path string) ([]Case, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	r, err := plain(f, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	cases, err := Read(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return cases, nil
}

// plain returns the text of the file at path, whose content r is.
func plain(r io.Reader, path string) (io.Reader, error) {
	if strings.HasSuffix(path, ".gz") {
		return gzip.NewReader(r)
	}
	return r, nil
}

// Read returns the cases of r, one a line.
func Read(r io.Reader) ([]Case, error) {
	var cases []Case
	// A case may be longer than a bufio.Scanner likes, so lines are read whole.
	for br, n := bufio.NewReader(r), 1; ; n++ {
		line, err := br.ReadBytes('\n')
		if len(line) > 0 {
			c, err := parse(line)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			cases = append(cases, c)
		}
		if err == io.EOF {
			return cases, nil
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
}

func parse(line []byte) (Case, error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	var c Case
	if err := dec.Decode(&c); err != nil {
		return Case{}, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return Case{}, errors.New("more than one value on the line")
	}
	return c, nil
}
