package text

import (
	"slices"
	"testing"
)

func TestFolded(t *testing.T) {
	for _, x := range []struct {
		line  string
		width int
		want  []string
	}{
		{"as it is", 0, []string{"as it is"}},
		{"fits just", 9, []string{"fits just"}},
		{"one two three", 9, []string{"one two", "    three"}},
		{"  a   bb   cc", 9, []string{"  a   bb", "    cc"}},
		{"abcdefghijkl", 5, []string{"abcde", "  fgh", "  ijk", "  l"}},
		{"ü ä ö é", 4, []string{"ü ä", "  ö", "  é"}},
		{"  x", 1, []string{"", "x"}},
		{"", 3, []string{""}},
	} {
		if got := folded(x.line, x.width); !slices.Equal(got, x.want) {
			t.Errorf("folded(%q, %d) = %q, want %q", x.line, x.width, got, x.want)
		}
	}
}
