package command

import (
	"fmt"
	"io"
	"time"
)

// progress says on a terminal what takes so long, on one line that goes again.
type progress struct {
	out   io.Writer // nil: nobody is watching
	start time.Time
	shown bool
}

// patience is how long nothing is said.
const patience = time.Second

func newProgress(w io.Writer) *progress {
	p := &progress{start: time.Now()}
	if isTerminal(w) {
		p.out = w
	}
	return p
}

func (p *progress) say(what string) {
	if p.out == nil || time.Since(p.start) < patience {
		return
	}
	p.shown = true
	fmt.Fprintf(p.out, "\r\x1b[K%s ...", what)
}

// done takes the line away.
func (p *progress) done() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}
