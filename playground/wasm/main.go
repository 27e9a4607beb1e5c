//go:build js && wasm

// Wasm is the library as the page calls it: one function on the global object,
// preemption(operation, input), which returns JSON; see situation.Call.
package main

import (
	"fmt"
	"syscall/js"

	"example.com/preemption/playground/internal/situation"
)

func main() {
	js.Global().Set("preemption", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) != 2 {
			return fmt.Sprintf(`{"error": "preemption wants an operation and its input, and got %d arguments"}`, len(args))
		}
		return situation.Call(args[0].String(), args[1].String())
	}))
	js.Global().Call("dispatchEvent", js.Global().Get("Event").New("preemption-ready"))
	select {} // the page calls for as long as it is open
}
