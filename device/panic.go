// This file names the errors of panics.

package device

import "github.com/foray-graph/foray/internal/calls/panics"

// PanicError is the panic of a goroutine that the library started, as the error of the function that
// waited for it: of loading, building, searching or writing, and of functions that the caller gave
// and such a goroutine called. Everything that the function began has ended. It has two fields,
// Value (any), what panic was called with, and Stack ([]byte), the stack of the goroutine; neither is
// in the error's text. errors.As finds it in errors of any package of the library.
type PanicError = panics.Error
