package browser

import (
	"fmt"
	"strings"
	"testing"

	"example.com/preemption/playground/internal/situation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// pod returns a pod of the page's situation, nil if it is not there.
func (b *tab) pod(t *testing.T, name string) *situation.Pod {
	t.Helper()
	var pod *situation.Pod
	b.eval(t, fmt.Sprintf("find(%q) || null", name), &pod)
	return pod
}

// focus says what has the focus: a pod, a field of a form, or a text.
func (b *tab) focus(t *testing.T) (what string) {
	t.Helper()
	b.eval(t, "(({dataset, textContent, tagName}) => dataset.pod || dataset.field || dataset.budget || (tagName === 'BODY' ? 'nothing' : textContent))(document.activeElement)", &what)
	return what
}

func (b *tab) wantFocus(t *testing.T, after, want string) {
	t.Helper()
	if got := b.focus(t); got != want {
		t.Errorf("%s the focus is on %q, want %q", after, got, want)
	}
}

// answered wants the page's answer to be the library's for what the page shows now.
func (b *tab) answered(t *testing.T) {
	t.Helper()
	var link string
	b.eval(t, "ask('link', situation)", &link)
	s, err := situation.ParseLink(link)
	if err != nil {
		t.Fatal(err)
	}
	same(t, b, "after an edit", "answer", &decide(t, s).Answer)
}

// By keyboard alone a pod is found, changed, moved and removed, and the focus is
// always where one expects it.
func TestKeyboard(t *testing.T) {
	b := open(t, "")
	s := situation.Presets()[0]
	b.show(t, &s)
	press := func(keys ...string) {
		t.Helper()
		for _, key := range keys {
			b.do(t, chromedp.KeyEvent(key))
		}
	}
	b.do(t, chromedp.Focus(`[data-pod="web-1"]`, chromedp.ByQuery))
	press(kb.ArrowUp, kb.ArrowUp)
	b.wantFocus(t, "two pods up", "batch-1")
	press(kb.ArrowRight)
	b.wantFocus(t, "one node to the right", "batch-6")
	press(kb.ArrowLeft, kb.End)
	b.wantFocus(t, "at the top", "batch-5")
	press(kb.Home)
	b.wantFocus(t, "at the bottom", "web-1")
	press(kb.Tab, kb.Tab, kb.Tab, kb.Tab)
	b.wantFocus(t, "on the next node, past + pod, cordon and the node's name", "batch-6") // where it was before

	b.do(t, chromedp.Focus(`[data-pod="batch-1"]`, chromedp.ByQuery))
	press("\r")
	b.wantFocus(t, "after a pod is chosen", "priority")
	press(kb.ArrowUp, kb.Tab)
	b.wantFocus(t, "after its priority is changed", "cpu")
	if p := b.pod(t, "batch-1"); p.Priority != 101 {
		t.Errorf("the pod is now %+v, want priority 101", p)
	}
	b.do(t, chromedp.Focus("#move", chromedp.ByQuery))
	press(kb.ArrowDown)
	b.wantFocus(t, "after it is moved", "node")
	if p := b.pod(t, "batch-1"); p.Node != "node-2" || p.Priority != 101 {
		t.Errorf("the pod is now %+v, want it on node-2", p)
	}
	b.answered(t)
	press(kb.Escape)
	b.wantFocus(t, "after Escape", "batch-1")
	press(kb.Delete)
	b.wantFocus(t, "after the pod is deleted", "batch-10")
	if p := b.pod(t, "batch-1"); p != nil {
		t.Errorf("the pod is still there: %+v", p)
	}
	press("\r")
	b.do(t, chromedp.Focus("#remove", chromedp.ByQuery))
	press("\r")
	b.wantFocus(t, "after a pod is removed in the form", "+ pod")
	press(" ")
	if p := b.pod(t, "new-1"); p == nil || p.Node != "node-2" {
		t.Errorf("the pod that is added is %+v", p)
	}
	b.wantFocus(t, "after a pod is added", "+ pod")
	press(kb.Tab, " ")
	b.wantFocus(t, "after the node is cordoned", "uncordon")
	b.answered(t)

	b.do(t, chromedp.Focus("#first", chromedp.ByQuery))
	press(" ", kb.Tab, kb.Tab, kb.ArrowRight)
	if got := b.text(t, "where"); !strings.HasPrefix(got, "2 of ") {
		t.Errorf("after the first step and one to the right: %q", got)
	}
}

// By mouse a pod is added, removed and a node cordoned with one click each, and a
// pod is dragged to another node, to the pending ones and back.
func TestMouse(t *testing.T) {
	b := open(t, "")
	s := situation.Presets()[1]
	b.show(t, &s)
	click := func(selector string) {
		t.Helper()
		b.do(t, chromedp.Click(selector, chromedp.ByQuery))
	}
	drag := func(pod, node string) {
		t.Helper()
		b.eval(t, fmt.Sprintf(`{
			const data = new DataTransfer();
			const on = (selector, type) => document.querySelector(selector).dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: data}));
			on('[data-pod=%q]', "dragstart");
			if (on('[data-node=%q] .stack', "dragover")) throw new Error("nothing can be dropped there");
			on('[data-node=%q] .stack', "drop");
		} true`, pod, node, node), nil)
	}
	click(`[data-node="node-3"] [data-add]`)
	if p := b.pod(t, "new-1"); p == nil || p.Node != "node-3" {
		t.Errorf("one click adds %+v", p)
	}
	b.answered(t)
	click(`[data-node="node-3"] [data-cordon]`)
	b.answered(t)
	var reason string
	b.eval(t, "answer.stretches[2].text", &reason)
	if !strings.Contains(reason, "unschedulable") {
		t.Errorf("the cordoned node is refused for %q", reason)
	}
	b.eval(t, `$("click").value = "remove"`, nil)
	click(`[data-pod="batch-1"]`)
	if p := b.pod(t, "batch-1"); p != nil {
		t.Errorf("one click does not remove: %+v", p)
	}
	b.answered(t)
	drag("batch-2", "node-4")
	if p := b.pod(t, "batch-2"); p.Node != "node-4" {
		t.Errorf("dragged to node-4: %+v", p)
	}
	b.answered(t)
	drag("batch-2", "")
	if p := b.pod(t, "batch-2"); p.Node != "" {
		t.Errorf("dragged to the pending pods: %+v", p)
	}
	if got := b.text(t, "headline"); !strings.HasPrefix(got, "web-11 ") || !strings.Contains(got, "Another pod is pending") {
		t.Errorf("with two pending pods: %q", got)
	}
	drag("web-11", "node-1")
	if got := b.text(t, "headline"); !strings.Contains(got, "batch-2") {
		t.Errorf("with batch-2 pending alone: %q", got)
	}
	b.answered(t)
	click(`[data-pod="batch-2"]`)
	if got := b.text(t, "error"); !strings.Contains(got, "nothing is pending") {
		t.Errorf("with nothing pending: %q", got)
	}
	click(`[data-node=""] [data-add]`)
	b.answered(t)
}

// A node's room and a budget are edited, and the number of nodes.
func TestNodesAndBudgets(t *testing.T) {
	b := open(t, "")
	s := situation.Presets()[2]
	b.show(t, &s)
	b.do(t, chromedp.Click(`[data-node="node-1"] h4 button`, chromedp.ByQuery))
	b.wantFocus(t, "after a node is chosen", "cpu")
	b.eval(t, `document.activeElement.select(); true`, nil)
	b.do(t, chromedp.KeyEvent("9000"), chromedp.KeyEvent(kb.Tab))
	b.wantFocus(t, "after its cpu is changed", "memory")
	if got := b.text(t, "headline"); got != "web-11 fits on node-1; nothing has to go." {
		t.Errorf("with 9 cpus on node-1: %q", got)
	}
	b.answered(t)

	b.show(t, &s)
	b.do(t, chromedp.Focus(`[data-budget="allowed"]`, chromedp.ByQuery), chromedp.KeyEvent(kb.ArrowUp))
	b.wantFocus(t, "after the budget is changed", "allowed")
	var violations int
	if b.eval(t, "answer.violations", &violations); violations != 1 {
		t.Errorf("a budget that allows one more leaves %d violations, want 1", violations)
	}
	b.answered(t)
	b.do(t, chromedp.Click(`#budgets button`, chromedp.ByQuery))
	b.wantFocus(t, "after the budget is removed", "Add a budget")
	b.answered(t)
	b.do(t, chromedp.KeyEvent("\r"))
	b.answered(t)
	var budgets []situation.Budget
	if b.eval(t, "situation.budgets", &budgets); len(budgets) != 1 {
		t.Errorf("added: %+v", budgets)
	}

	b.do(t, chromedp.Focus("#count", chromedp.ByQuery), chromedp.KeyEvent(kb.End))
	var nodes, drawn int
	b.eval(t, "situation.nodes.length", &nodes)
	b.eval(t, `document.querySelectorAll("#cluster .node:not(.pending)").length`, &drawn)
	if nodes != 50 || drawn != 50 {
		t.Errorf("the slider at its end: %d nodes, %d drawn", nodes, drawn)
	}
	b.answered(t)
	b.do(t, chromedp.KeyEvent(kb.Home))
	b.answered(t)
	if b.eval(t, "situation.nodes.length", &nodes); nodes != 1 {
		t.Errorf("the slider at its beginning: %d nodes", nodes)
	}
}
