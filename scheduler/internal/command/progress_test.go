package command

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

// What takes long is said while it takes long, not when it is over, and goes
// again; what does not is not said.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := &progress{out: &out}
		said := func(want string) {
			t.Helper()
			synctest.Wait()
			if got := out.String(); got != want {
				t.Errorf("said %q, want %q", got, want)
			}
			out.Reset()
		}
		p.say("reading")
		time.Sleep(patience / 2)
		said("")
		time.Sleep(patience)
		said("\r\x1b[Kreading ...")
		p.say("looking")
		said("\r\x1b[Klooking ...")
		p.done()
		p.done()
		said("\r\x1b[K")

		quick := &progress{out: &out}
		quick.say("reading")
		quick.done()
		time.Sleep(2 * patience)
		said("")
		quick.say("pod 2 of 3")
		quick.done()
		said("\r\x1b[Kpod 2 of 3 ...\r\x1b[K")

		nobody := newProgress(&out)
		nobody.say("reading")
		time.Sleep(2 * patience)
		nobody.done()
		said("")
	})
}
