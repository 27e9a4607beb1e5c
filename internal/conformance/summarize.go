package conformance

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/preemption/internal/generate"
)

// Summarize returns the records as tables in Markdown: what came of the cases,
// and how many answers reach each rule, filter and kind of answer, by release.
// Features that fewer than one case in a hundred has are listed.
func Summarize(shards []Shard) string {
	sums := map[string]*Shard{}
	for _, s := range shards {
		if sums[s.Release] == nil {
			sums[s.Release] = &Shard{Verdicts: map[verdict]int{}, Reached: map[string]map[string]int{}, Features: map[string]int{}}
		}
		sums[s.Release].add(&s)
	}
	releases := slices.Sorted(maps.Keys(sums))
	var b strings.Builder
	table := func(title string, rows []string, value func(s *Shard, row string) int) {
		fmt.Fprintf(&b, "| %s | %s |\n|---|%s\n", title, strings.Join(releases, " | "), strings.Repeat("---|", len(releases)))
		for _, row := range rows {
			fmt.Fprintf(&b, "| %s |", row)
			for _, r := range releases {
				fmt.Fprintf(&b, " %s |", grouped(value(sums[r], row)))
			}
			b.WriteString("\n")
		}
		b.WriteString("\n")
	}

	const cases, answers = "cases", "answers compared"
	table("campaign", []string{cases, answers, string(differs), string(broken), string(varying), string(tangledFails), string(tangledDiffers)},
		func(s *Shard, row string) int {
			switch row {
			case cases:
				return s.Cases
			case answers:
				return s.answers()
			}
			return s.Verdicts[verdict(row)]
		})
	for _, kind := range []string{reachRules, reachFilters, reachAnswers} {
		table(kind+", answers that reach it", reachNames(kind), func(s *Shard, row string) int { return s.Reached[kind][row] })
	}
	var rare []string
	for _, f := range generate.Features() {
		if slices.ContainsFunc(releases, func(r string) bool { return 100*sums[r].Features[f.Name] < sums[r].answers() }) {
			rare = append(rare, f.Name)
		}
	}
	if len(rare) > 0 {
		table("feature in less than 1 % of the cases of a release", rare, func(s *Shard, row string) int { return s.Features[row] })
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func reachNames(kind string) []string {
	var names []string
	for _, r := range reached()[kind] {
		names = append(names, r.name)
	}
	return names
}

// add adds the counts of another shard.
func (s *Shard) add(other *Shard) {
	s.Cases += other.Cases
	addCounts(s.Verdicts, other.Verdicts)
	addCounts(s.Features, other.Features)
	for kind, counts := range other.Reached {
		if s.Reached[kind] == nil {
			s.Reached[kind] = map[string]int{}
		}
		addCounts(s.Reached[kind], counts)
	}
}

func addCounts[K cmp.Ordered](sum, counts map[K]int) {
	for k, n := range counts {
		sum[k] += n
	}
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
