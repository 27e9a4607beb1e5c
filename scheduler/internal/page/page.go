// Package page writes an explanation as a page to send around: one file that needs
// no network and no script.
package page

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"example.com/preemption"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/explain"
	"example.com/preemption/scheduler/internal/situation"
	"example.com/preemption/scheduler/internal/text"
)

//go:embed page.html
var source string

var page = template.Must(template.New("page").Parse(source))

// content is what the page shows.
type content struct {
	Title, Subject, Verdict string
	WhatIf                  string
	State                   string
	Victims                 []victim
	Resource                string // that the bars are of
	Bars                    []bar
	MoreNodes               int
	Criteria                []string
	Decides                 string
	Candidates              []candidate
	MoreCandidates          int
	Budgets                 []budget
	Refusals                []text.Refusal
	Waits                   []wait
	Try                     []suggestion
	Warnings                []string
	Message                 string
	Rules, When             string
}

type victim struct {
	Name, Owner, Requests, Grace, Budgets string
	Priority                              int32
}

type candidate struct {
	Node   string
	Chosen bool
	Cells  []cell
}

type cell struct {
	Text    string
	Decides bool
}

type budget struct {
	Name    string
	Allowed int32
	Victims int
	Spent   bool
}

type wait struct{ Name, Node, Left, HeldBy string }

// most is how many rows a table has: a page for people.
const most = 12

// Write writes the page.
func Write(ctx context.Context, w io.Writer, s *situation.Situation, r *explain.Report) error {
	return page.Execute(w, contentOf(ctx, s, r))
}

func contentOf(ctx context.Context, s *situation.Situation, r *explain.Report) *content {
	e := &r.Explanation
	c := &content{
		Title:   fmt.Sprintf("%s/%s: %s", e.Pod.Namespace, e.Pod.Name, titles[e.State]),
		Subject: text.Subject(r),
		Verdict: text.Verdict(r),
		State:   e.State,
		Decides: e.DecidedBy,
		Message: e.Message,
		Rules:   e.KubernetesVersion,
		When:    s.Now.UTC().Format("2 January 2006, 15:04 MST"),

		Refusals: text.Refusals(r),
		Warnings: e.Warnings,
	}
	if e.WhatIf != nil {
		c.WhatIf = e.WhatIf.Change
	}
	for _, v := range e.Victims {
		c.Victims = append(c.Victims, victimOf(v))
	}
	c.Resource = scarcest(s, r)
	c.Bars, c.MoreNodes = bars(s, r, c.Resource)
	c.candidates(s, r)
	c.budgets(e)
	for _, x := range e.WaitsFor {
		left := human(x.GraceLeftSeconds)
		if x.OverdueSeconds > 0 {
			left = "overdue " + human(x.OverdueSeconds)
		}
		c.Waits = append(c.Waits, wait{x.Namespace + "/" + x.Name, x.Node, left, cmp.Or(strings.Join(x.Finalizers, ", "), "nothing")})
	}
	c.Try = suggestions(ctx, s, r)
	return c
}

// titles are the states in a word or two.
var titles = map[string]string{
	explanation.StateFits:         "fits",
	explanation.StateFitsOnceGone: "fits once others are gone",
	explanation.StateUnderWay:     "preemption under way",
	explanation.StatePreempts:     "would preempt",
	explanation.StateNoHelp:       "preemption does not help",
	explanation.StateNotTried:     "not tried",
}

func human(seconds int64) string {
	return duration.HumanDuration(time.Duration(seconds) * time.Second)
}

func victimOf(v explanation.Victim) victim {
	owner := "none"
	if v.Owner != nil {
		owner = v.Owner.Kind + "/" + v.Owner.Name
	}
	var over []string
	for _, b := range v.Budgets {
		name := b.Name
		if b.Violated {
			name += " (violated)"
		}
		over = append(over, name)
	}
	return victim{
		Name: v.Namespace + "/" + v.Name, Owner: owner, Requests: text.Amounts(v.Requests),
		Grace: human(v.GracePeriodSeconds), Budgets: cmp.Or(strings.Join(over, ", "), "none"), Priority: v.Priority,
	}
}

// candidates fills in the table of the five criteria.
func (c *content) candidates(s *situation.Situation, r *explain.Report) {
	for _, o := range preemption.DefaultOrders() {
		c.Criteria = append(c.Criteria, o.Name)
	}
	list := text.Ranked(r.Examination)
	if len(list) > most {
		c.MoreCandidates, list = len(list)-most, list[:most]
	}
	for _, x := range list {
		row := candidate{Node: x.Node.Name, Chosen: x.Node == r.Examination.Node}
		for i, value := range criteria(s, x) {
			row.Cells = append(row.Cells, cell{value, row.Chosen && c.Criteria[i] == c.Decides})
		}
		c.Candidates = append(c.Candidates, row)
	}
}

// criteria are what the scheduler's criteria compare, in their order.
func criteria(s *situation.Situation, c *preemption.Candidate) []string {
	pods := c.Pods()
	sum, top := int64(0), pods[0].Priority
	for _, p := range pods {
		sum += int64(p.Priority) + 1<<31
		top = max(top, p.Priority)
	}
	var earliest time.Time
	for _, p := range pods {
		if p.Priority == top && !p.Start.IsZero() && (earliest.IsZero() || p.Start.Before(earliest)) {
			earliest = p.Start
		}
	}
	start := "not started"
	if !earliest.IsZero() {
		start = duration.HumanDuration(s.Now.Sub(earliest)) + " ago"
	}
	return []string{fmt.Sprint(c.Violations), fmt.Sprint(pods[0].Priority), fmt.Sprint(sum), fmt.Sprint(len(pods)), start}
}

func (c *content) budgets(e *explanation.Explanation) {
	at := map[string]int{}
	for _, v := range e.Victims {
		for _, b := range v.Budgets {
			name := b.Namespace + "/" + b.Name
			if _, known := at[name]; !known {
				at[name] = len(c.Budgets)
				c.Budgets = append(c.Budgets, budget{Name: name, Allowed: b.DisruptionsAllowed})
			}
			x := &c.Budgets[at[name]]
			x.Victims++
			x.Spent = x.Spent || b.Violated
		}
	}
}
