package situation

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"example.com/preemption"
)

// The page offers every release whose rules are known.
func TestPageOffersReleases(t *testing.T) {
	page, err := os.ReadFile("../../web/index.html")
	if err != nil {
		t.Fatal(err)
	}
	choice := regexp.MustCompile(`(?s)<select id="release">.*?</select>`).Find(page)
	var offered, known []string
	for _, m := range regexp.MustCompile(`<option>([^<]*)`).FindAllSubmatch(choice, -1) {
		offered = append(offered, string(m[1]))
	}
	for _, r := range preemption.Releases() {
		known = append(known, r.String())
	}
	if !slices.Equal(offered, known) {
		t.Errorf("the page offers %q, want %q", offered, known)
	}
}
