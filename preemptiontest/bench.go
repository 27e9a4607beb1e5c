package preemptiontest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"example.com/preemption"
)

// A bench tests the dry runs of one node.
type bench struct {
	*checker
	node  *preemption.Node
	seats []seat
	rand  *rand.Rand
	// scripts are the random walks, kept for the concurrent test.
	scripts [][]step
}

func (b *bench) run() {
	initial, ok := b.replay(nil)
	if !ok {
		return
	}
	b.checkUndo(initial)
	// Short walks first: they make for the clearest reports.
	for _, s := range b.seats {
		b.checkWalk([]step{b.leaves(s)})
	}
	for range walks {
		script := b.script()
		b.checkWalk(script)
		b.checkNoEffect(script)
		b.scripts = append(b.scripts, script)
	}
	b.checkIndependent(initial)
}

// leaves is the first step that a pod can take: a guest comes, others go.
func (b *bench) leaves(s seat) step { return step{seat: s, add: s.guest} }

// An answer is all that a dry run says about its pods.
type answer struct {
	status preemption.Status
	short  []preemption.Shortfall
}

func (a answer) equal(o answer) bool {
	return a.status.Code == o.status.Code && a.status.Filter == o.status.Filter &&
		slices.Equal(a.status.Reasons, o.status.Reasons) && slices.Equal(a.short, o.short)
}

func (a answer) String() string {
	s := a.status.String()
	if len(a.short) > 0 {
		s += fmt.Sprintf(" %+v", a.short)
	}
	return s
}

// begin starts a dry run, of a cluster given as a view of its own or of b's.
func (b *bench) begin(prepared preemption.Prepared) (preemption.DryRun, bool) {
	run, err := prepared.Begin(b.node)
	if err != nil {
		b.note(lawNoError, b.node.Name, "Begin: %v", err)
		return nil, false
	}
	return run, true
}

// do takes a step; past is what went before it.
func (b *bench) do(run preemption.DryRun, s step, past []step) bool {
	f := run.Remove
	if s.add {
		f = run.Add
	}
	if err := f(s.pod, s.on); err != nil {
		b.note(lawNoError, b.node.Name, "%s: %s: %v", after(past), s, err)
		return false
	}
	return true
}

// ask asks twice and returns the first answer.
func (b *bench) ask(run preemption.DryRun, past []step) (answer, bool) {
	first, err := askOnce(run)
	if err != nil {
		b.note(lawNoError, b.node.Name, "%s: Fits: %v", after(past), err)
		return answer{}, false
	}
	second, err := askOnce(run)
	if err != nil || !second.equal(first) {
		b.note(lawRepeatable, b.node.Name, "%s: first %v, then %v, error %v", after(past), first, second, err)
	}
	return first, true
}

func askOnce(run preemption.DryRun) (answer, error) {
	status, err := run.Fits()
	if err != nil {
		return answer{}, err
	}
	a := answer{status: status}
	if s, ok := run.(interface{ Shortfalls() []preemption.Shortfall }); ok && !status.Fits() {
		a.short = slices.Clone(s.Shortfalls())
	}
	return a, nil
}

// replay takes all steps on a new dry run and asks at the end only.
func (b *bench) replay(script []step) (answer, bool) {
	run, ok := b.begin(b.prepared)
	if !ok {
		return answer{}, false
	}
	for i, s := range script {
		if !b.do(run, s, script[:i]) {
			return answer{}, false
		}
	}
	return b.ask(run, script)
}

// checkUndo takes every pod away and puts it back, one by one and all together,
// in several orders; and the other way round for the guests.
func (b *bench) checkUndo(initial answer) {
	var all []step
	for _, s := range b.seats {
		out := b.leaves(s)
		b.expect(lawUndo, []step{out, out.inverse()}, initial)
		all = append(all, out)
	}
	back := make([]step, len(all))
	for i, s := range all {
		back[i] = s.inverse()
	}
	b.expect(lawUndo, slices.Concat(all, back), initial)
	slices.Reverse(back)
	b.expect(lawUndo, slices.Concat(all, back), initial)
	for range walks {
		b.shuffle(all)
		b.shuffle(back)
		b.expect(lawUndo, slices.Concat(all, back), initial)
	}
}

func (s step) inverse() step {
	s.add = !s.add
	return s
}

func (b *bench) shuffle(steps []step) {
	b.rand.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
}

func (b *bench) expect(law string, script []step, want answer) {
	if got, ok := b.replay(script); ok && !got.equal(want) {
		b.note(law, b.node.Name, "%s: %v, want %v", after(script), got, want)
	}
}

// script draws a sequence of steps, each of which adds a pod that is gone or
// removes one that is there.
func (b *bench) script() []step {
	if len(b.seats) == 0 {
		return nil
	}
	here := make([]bool, len(b.seats))
	for i, s := range b.seats {
		here[i] = !s.guest
	}
	steps := make([]step, walkLength)
	for i := range steps {
		k := b.rand.IntN(len(b.seats))
		steps[i] = step{seat: b.seats[k], add: !here[k]}
		here[k] = !here[k]
	}
	return steps
}

// checkWalk compares a dry run at each step with a fresh one, and with what it
// said before.
func (b *bench) checkWalk(script []step) {
	run, ok := b.begin(b.prepared)
	if !ok {
		return
	}
	var before answer
	for i := range len(script) + 1 {
		past := script[:i]
		if i > 0 && !b.do(run, script[i-1], past[:i-1]) {
			return
		}
		now, ok := b.ask(run, past)
		if !ok {
			return
		}
		if want, ok := b.fresh(past); ok && !now.equal(want) {
			b.note(lawFresh, b.node.Name, "%s: %v, want %v", after(past), now, want)
		}
		if i > 0 && b.monotone {
			b.checkMonotone(past, before, now)
		}
		before = now
	}
}

// checkMonotone looks at the last step: more pods must not help, nor fewer hurt.
func (b *bench) checkMonotone(past []step, before, now answer) {
	last := past[len(past)-1]
	fewer, more := before, now
	if !last.add {
		fewer, more = now, before
	}
	if last.on == b.node && !fewer.status.Fits() && more.status.Fits() {
		b.note(lawMonotone, b.node.Name, "%s: %v with %s on the node, %v without", after(past), more, last.pod, fewer)
	}
}

// fresh is the answer of a dry run that starts with the pods that the steps leave.
func (b *bench) fresh(past []step) (answer, bool) {
	prepared, err := b.filter.Prepare(b.preemptor, b.viewAfter(past))
	if err != nil {
		b.note(lawNoError, b.node.Name, "Prepare %s: %v", after(past), err)
		return answer{}, false
	}
	if prepared == nil {
		b.note(lawFresh, b.node.Name, "Prepare %s: the filter is not concerned any more", after(past))
		return answer{}, false
	}
	run, ok := b.begin(prepared)
	if !ok {
		return answer{}, false
	}
	return b.ask(run, past)
}

// checkNoEffect compares with a dry run that is asked at the end only.
func (b *bench) checkNoEffect(script []step) {
	run, ok := b.begin(b.prepared)
	if !ok {
		return
	}
	var asked answer
	for i, s := range script {
		if !b.do(run, s, script[:i]) {
			return
		}
		if asked, ok = b.ask(run, script[:i+1]); !ok {
			return
		}
	}
	if silent, ok := b.replay(script); ok && len(script) > 0 && !asked.equal(silent) {
		b.note(lawNoEffect, b.node.Name, "%s: %v if asked at each step, %v if not", after(script), asked, silent)
	}
}

// checkIndependent empties one dry run beside another, which must be none the
// wiser.
func (b *bench) checkIndependent(initial answer) {
	bystander, ok := b.begin(b.prepared)
	if !ok {
		return
	}
	var script []step
	for _, s := range b.seats {
		script = append(script, b.leaves(s))
	}
	if _, ok := b.replay(script); !ok {
		return
	}
	if got, ok := b.ask(bystander, nil); ok && !got.equal(initial) {
		b.note(lawIndependent, b.node.Name, "%s in another dry run: %v, want %v", after(script), got, initial)
	}
}

// checkConcurrent replays the scripts all at once.
func (b *bench) checkConcurrent() {
	const repeats = 4
	type result struct {
		got answer
		err error
	}
	results := make([]result, repeats*len(b.scripts))
	var wg sync.WaitGroup
	for i := range results {
		wg.Add(1)
		go func() {
			defer wg.Done()
			results[i].got, results[i].err = b.quietReplay(b.scripts[i%len(b.scripts)])
		}()
	}
	wg.Wait()
	for i, r := range results {
		want, err := b.quietReplay(b.scripts[i%len(b.scripts)])
		if err == nil && (r.err != nil || !r.got.equal(want)) {
			b.note(lawConcurrent, b.node.Name, "%d dry runs at a time: %v, error %v; alone: %v", len(results), r.got, r.err, want)
			return
		}
	}
}

// quietReplay is replay without notes, for use by several goroutines.
func (b *bench) quietReplay(script []step) (answer, error) {
	run, err := b.prepared.Begin(b.node)
	if err != nil {
		return answer{}, err
	}
	for _, s := range script {
		f := run.Remove
		if s.add {
			f = run.Add
		}
		if err := f(s.pod, s.on); err != nil {
			return answer{}, err
		}
		if _, err := askOnce(run); err != nil {
			return answer{}, err
		}
	}
	return askOnce(run)
}
