package properties

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"
)

// usual is how many checks a property has.
const usual = 1000

// The scenarios of the properties are small and cheap, so that there can be more
// of them than rapid's hundred.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", strconv.Itoa(usual)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	os.Exit(m.Run())
}

// wantSeen fails a property that did not come across what it is about. With fewer
// checks than usual it may have had no chance to.
func wantSeen(t *testing.T, seen bool, format string, args ...any) {
	t.Helper()
	if checks := flag.Lookup("rapid.checks").Value.(flag.Getter).Get().(int); !seen && checks >= usual {
		t.Errorf(format, args...)
	}
}
