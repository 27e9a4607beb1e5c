package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// Progress is shown only where the wait gets long: at first after patience, then
// every interval; on a terminal more often, on one line that is overwritten.
const (
	patience         = 2 * time.Second
	interval         = 10 * time.Second
	terminalInterval = 200 * time.Millisecond
)

// progress tells how far a stream has come.
type progress struct {
	w        io.Writer
	now      clock
	total    int
	terminal bool
	next     time.Duration // when to speak next
	shown    bool
}

func newProgress(w io.Writer, now clock, total int) *progress {
	return &progress{w: w, now: now, total: total, terminal: isTerminal(w), next: now() + patience}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// done is told after every decision how many there have been.
func (p *progress) done(n int) {
	t := p.now()
	if t < p.next || n == p.total {
		return
	}
	p.shown = true
	if p.terminal {
		p.next = t + terminalInterval
		fmt.Fprintf(p.w, "\r%d of %d pods, %d %%", n, p.total, 100*n/p.total)
	} else {
		p.next = t + interval
		fmt.Fprintf(p.w, "%d of %d pods, %d %%\n", n, p.total, 100*n/p.total)
	}
}

// clear wipes the line on a terminal, where the report may follow.
func (p *progress) clear() {
	if p.shown && p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
