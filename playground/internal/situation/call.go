package situation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// A Session is a page's talk with the library. It remembers the last decision, of
// which the page asks for one step after the other, and its pods, of which the page
// tells those that have changed. The zero value is ready.
type Session struct {
	decision *Decision
	pods     []Pod
}

// A change is a situation after an edit. Of the pods that were decided about last
// the first and the last so many stay; the situation's own come between them.
type change struct {
	Situation
	First int `json:"first"`
	Last  int `json:"last"`
}

// Call answers the page: an operation, and its input as JSON or plain text. The
// answer is JSON: {"ok": …} or {"error": "…"}.
//
//	presets            the situations to start from
//	decide   CHANGE    an Answer
//	step     NUMBER    a Step of the last decision
//	explain            the library's own explanation of it
//	compare  SITUATION a Variant for each release and each policy
//	play     SITUATION a Play
//	link     SITUATION the fragment of an address
//	open     LINK      the situation
//	import   TEXT      a situation, and notes on what was left out
//	scenario, program, yaml  SITUATION  the export as text
func (p *Session) Call(operation, input string) string {
	answer, err := p.call(operation, input)
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

func (p *Session) call(operation, input string) (any, error) {
	switch operation {
	case "presets":
		return Presets(), nil
	case "open":
		return ParseLink(input)
	case "import":
		s, notes, err := Import([]byte(input))
		return map[string]any{"situation": s, "notes": notes}, err
	case "step", "explain":
		return p.tell(operation, input)
	case "decide":
		return p.decide(input)
	}
	s, err := Parse([]byte(input))
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	switch operation {
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

// decide decides about the situation after a change.
func (p *Session) decide(input string) (*Answer, error) {
	p.decision = nil // of the situation before, should this fail
	var c change
	if err := parse([]byte(input), &c); err != nil {
		return nil, err
	}
	if c.First < 0 || c.Last < 0 || c.Last > len(p.pods) || c.First > len(p.pods)-c.Last {
		return nil, fmt.Errorf("the first %d and the last %d pods stay, and there are %d", c.First, c.Last, len(p.pods))
	}
	p.pods = slices.Concat(p.pods[:c.First], c.Pods, p.pods[len(p.pods)-c.Last:])
	c.Pods = p.pods
	d, err := c.Decide(context.Background())
	if err != nil {
		return nil, err
	}
	p.decision = d
	return &d.Answer, nil
}

// tell answers questions about the last decision.
func (p *Session) tell(operation, input string) (any, error) {
	if p.decision == nil {
		return nil, fmt.Errorf("%s: nothing is decided yet", operation)
	}
	if operation == "explain" {
		return p.decision.Explain(), nil
	}
	i, err := strconv.Atoi(input)
	if err != nil {
		return nil, fmt.Errorf("step %q is not a number", input)
	}
	return p.decision.Step(i)
}
