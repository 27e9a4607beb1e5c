package command

import (
	"os"
	"strings"
	"testing"
)

// The run that the README shows is a real one.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := run(nil, "explain", "--example")
	if code != ExitYes {
		t.Fatal(stderr)
	}
	if !strings.Contains(string(readme), "$ kubectl preemption explain --example\n"+stdout+"```\n") {
		t.Errorf("README.md does not show:\n%s", stdout)
	}
}
