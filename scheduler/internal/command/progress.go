package command

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// patience is how long nothing is said.
const patience = time.Second

// progress says on a terminal what takes so long, on one line that goes again.
type progress struct {
	out io.Writer // nil: nobody is watching

	mu      sync.Mutex
	what    string
	timer   *time.Timer // of the first line
	talking bool        // since patience ran out
	shown   bool
}

func newProgress(w io.Writer) *progress {
	if isTerminal(w) {
		return &progress{out: w}
	}
	return &progress{}
}

// say tells what is being done from now on. If that is the first to be said, it
// shows when patience has run out, however long it takes itself.
func (p *progress) say(what string) {
	if p.out == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
	switch {
	case p.talking:
		p.show()
	case p.timer == nil:
		p.timer = time.AfterFunc(patience, p.wake)
	}
}

func (p *progress) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.talking = true
	if p.what != "" {
		p.show()
	}
}

func (p *progress) show() {
	p.shown = true
	fmt.Fprintf(p.out, "\r\x1b[K%s ...", p.what)
}

// done takes the line away. More may be said after it.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = ""
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}
