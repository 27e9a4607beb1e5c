// Package exampletest runs the mains below examples and compares what they
// print with golden files.
package exampletest

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden files with what is printed now; read the diff")

// A Run is the body of a main: it returns the exit code.
type Run func(args []string, stdout, stderr io.Writer) int

// Output runs with the arguments and returns what was written to standard
// output. Anything on standard error, or another exit code than 0, fails the
// test.
func Output(t *testing.T, run Run, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(args, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Fatalf("run(%q) = %d, want 0 and nothing on standard error, which says:\n%s", args, code, &stderr)
	}
	return stdout.String()
}

// UsageError runs with arguments that are wrong and returns what was written to
// standard error. Anything on standard output, or another exit code than 2,
// fails the test.
func UsageError(t *testing.T, run Run, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(args, &stdout, &stderr); code != 2 || stdout.Len() > 0 {
		t.Fatalf("run(%q) = %d, want 2 and nothing on standard output, which says:\n%s", args, code, &stdout)
	}
	return stderr.String()
}

// Golden compares got with the file testdata/<name> of the package under test.
// With the flag -rewrite it writes the file instead.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *rewrite {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); go test -rewrite accepts what is printed now:\n%s", path, diff)
	}
}
