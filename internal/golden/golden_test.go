package golden

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const recorded = "../../testdata/golden"

// TestRoundTrip writes every recorded case back and compares the JSON: a field
// that is lost, invented or rounded shows. Bytes cannot be compared throughout,
// as some files order the keys of an object differently.
func TestRoundTrip(t *testing.T) {
	paths, err := Files(recorded)
	if err != nil {
		t.Fatal(err)
	}
	total, identical := 0, 0
	for _, path := range paths {
		cases, err := ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := rawLines(t, path)
		if len(lines) != len(cases) {
			t.Fatalf("%s: %d lines, %d cases", path, len(lines), len(cases))
		}
		for i := range cases {
			var b bytes.Buffer
			if err := Write(&b, cases[i:i+1]); err != nil {
				t.Fatal(err)
			}
			total++
			if bytes.Equal(b.Bytes(), lines[i]) {
				identical++
				continue
			}
			if got, want := tree(t, b.Bytes()), tree(t, lines[i]); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: case %s written back as\n%s\nwant\n%s", path, cases[i].Name, b.Bytes(), lines[i])
			}
		}
	}
	if total < 2980 {
		t.Errorf("%d cases read, want at least the 2980 recorded ones", total)
	}
	t.Logf("%d cases written back with equal JSON, %d of them with equal bytes", total, identical)
}

// rawLines returns the lines of a file, each with its newline.
func rawLines(t *testing.T, path string) [][]byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := plain(f, path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	return lines[:len(lines)-1]
}

// tree returns JSON as maps and slices, with the numbers as written.
func tree(t *testing.T, data []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestWriteFile(t *testing.T) {
	cases, err := ReadFile(filepath.Join(recorded, "reports.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"b.jsonl", "a.jsonl.gz", "other.json"} {
		path := filepath.Join(dir, name)
		if err := WriteFile(path, cases); err != nil {
			t.Fatal(err)
		}
		first, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(path, cases); err != nil {
			t.Fatal(err)
		}
		second, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, second) {
			t.Errorf("%s: two writes of the same cases differ", name)
		}
		back, err := ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back, cases) {
			t.Errorf("%s: cases read back differ", name)
		}
	}
	all, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2*len(cases) {
		t.Errorf("ReadDir returned %d cases, want those of the two golden files: %d", len(all), 2*len(cases))
	}
}

func TestReadIsStrict(t *testing.T) {
	const good = `{"name":"a","family":"f","nodes":[],"pods":[],"pdbs":[],"preemptor":{"namespace":"","name":"","uid":"","priority":0,"requests":{}},"want":{}}`
	tests := []struct{ name, text, want string }{
		{"unknown field", strings.Replace(good, `"pdbs"`, `"budgets"`, 1), "line 1: json: unknown field"},
		{"unknown inner field", good + "\n" + strings.Replace(good, `"uid"`, `"id"`, 1), "line 2: json: unknown field"},
		{"two values", good + good, "line 1: more than one value"},
		{"blank line", good + "\n\n" + good, "line 2: EOF"},
		{"cut short", good[:40], "line 1: unexpected EOF"},
		{"a float for a priority", strings.Replace(good, `"priority":0`, `"priority":0.5`, 1), "line 1: json: cannot unmarshal"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(test.text))
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("Read = %v, want an error starting %q", err, test.want)
			}
		})
	}
	for _, text := range []string{"", good, good + "\n"} {
		if _, err := Read(strings.NewReader(text)); err != nil {
			t.Errorf("Read(%q) = %v", text, err)
		}
	}
}
