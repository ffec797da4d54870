// This file holds the error of panics.

package device

// PanicError is the panic of a goroutine that the library started, as the error of the function that
// waited for it: of loading, building, searching or writing, and of functions that the caller gave
// and such a goroutine called. Everything that the function began has ended. The text is one line
// without the value, which may have anything in it. errors.As finds a PanicError in errors of any
// package of the library.
type PanicError struct {
	Value any    // what panic was called with, or the runtime.Error
	Stack []byte // of the goroutine, as debug.Stack has it
}

func (e *PanicError) Error() string {
	return "internal error: a goroutine panicked; the PanicError in this error has the value and the stack"
}

// Unwrap returns the value, if that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
