//go:build js && wasm

// Wasm is the library as the page calls it: one function on the global object,
// preemption(operation, input), which returns JSON; see situation.Session.
package main

import (
	"fmt"
	"runtime/debug"
	"syscall/js"

	"example.com/preemption/playground/internal/situation"
)

func main() {
	// Collecting garbage stops the page: an edit makes a few megabytes of it.
	debug.SetGCPercent(400)
	var session situation.Session
	js.Global().Set("preemption", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) != 2 {
			return fmt.Sprintf(`{"error": "preemption wants an operation and its input, and got %d arguments"}`, len(args))
		}
		return session.Call(args[0].String(), args[1].String())
	}))
	js.Global().Call("dispatchEvent", js.Global().Get("Event").New("preemption-ready"))
	select {} // the page calls for as long as it is open
}
