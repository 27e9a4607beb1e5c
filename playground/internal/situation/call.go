package situation

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/preemption"
)

// Call is what the page asks of the library: an operation, and its input as JSON
// or plain text. The answer is JSON: {"ok": …} or {"error": "…"}.
//
//	presets            the situations to start from
//	decide   SITUATION an Answer
//	compare  SITUATION an answer under each release and each policy
//	play     SITUATION a Play
//	link     SITUATION the fragment of an address
//	open     LINK      the situation
//	import   TEXT      a situation, and notes on what was left out
//	scenario, program, yaml  SITUATION  the export as text
func Call(operation, input string) string {
	answer, err := call(operation, input)
	var reply any = map[string]any{"ok": answer}
	if err != nil {
		reply = map[string]any{"error": err.Error()}
	}
	text, err := json.Marshal(reply)
	if err != nil {
		return `{"error": "the answer cannot be written as JSON"}`
	}
	return string(text)
}

func call(operation, input string) (any, error) {
	switch operation {
	case "presets":
		return Presets(), nil
	case "open":
		return ParseLink(input)
	case "import":
		s, notes, err := Import([]byte(input))
		return map[string]any{"situation": s, "notes": notes}, err
	}
	s, err := Parse([]byte(input))
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	switch operation {
	case "decide":
		return s.Decide(ctx)
	case "compare":
		return s.Compare(ctx)
	case "play":
		return s.Play(ctx)
	case "link":
		return s.Link()
	case "scenario":
		return s.Scenario(), nil
	case "program":
		return s.Program()
	case "yaml":
		return s.YAML()
	}
	return nil, fmt.Errorf("operation %q is not known", operation)
}

// A Variant is the decision under other rules.
type Variant struct {
	Release string   `json:"release"`
	Victims string   `json:"victims"`
	Budgets string   `json:"budgets"`
	Outcome string   `json:"outcome"`
	Node    string   `json:"node,omitempty"`
	Evicted []string `json:"evicted,omitempty"`
	// Violations of the decision, and whether it differs from that of the situation.
	Violations int    `json:"violations"`
	Differs    bool   `json:"differs"`
	Error      string `json:"error,omitempty"`
}

// Compare decides under every release, and under every policy of the situation's
// own release.
func (s *Situation) Compare(ctx context.Context) ([]Variant, error) {
	own, err := s.Decide(ctx)
	if err != nil {
		return nil, err
	}
	var variants []Variant
	add := func(release, victims, budgets string) {
		other := *s
		other.Release, other.Victims, other.Budget = release, victims, budgets
		v := Variant{Release: release, Victims: orElse(victims, "reprieve"), Budgets: orElse(budgets, "as-upstream")}
		a, err := other.Decide(ctx)
		if err != nil {
			v.Error = err.Error()
		} else {
			v.Outcome, v.Node, v.Evicted, v.Violations = a.Outcome, a.Node, a.Victims, a.Violations
			v.Differs = a.Headline != own.Headline || a.Violations != own.Violations
		}
		variants = append(variants, v)
	}
	for _, release := range preemption.Releases() {
		add(release.String(), s.Victims, s.Budget)
	}
	for _, victims := range []string{"", "best"} {
		for _, budgets := range []string{"", "exact", "respected"} {
			add(s.Release, victims, budgets)
		}
	}
	return variants, nil
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
