// Package panics converts panics of goroutines into errors. An unrecovered panic ends the whole
// program, and a goroutine that panics can leave others waiting. So every goroutine that the
// library starts returns its panic to the function that waits for it. It returns ErrExited if a
// function that the caller passed ended the goroutine.
package panics

import (
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
)

// Error is a panic as an error.
type Error = device.PanicError

// ErrExited is the error of a function whose goroutine ended before it returned.
var ErrExited = errors.New("a callback or file system ended the goroutine that called it (runtime.Goexit); let it return")

// of converts the value that recover returned into an error.
func of(p any) *Error {
	if e, ok := p.(*Error); ok { // of a goroutine that this one waited for
		return e
	}
	return &Error{Value: p, Stack: debug.Stack()}
}

// Recover is deferred: it makes a panic the error of the function.
func Recover(err *error) {
	if p := recover(); p != nil {
		*err = of(p)
	}
}

// Rethrown is deferred. If *err comes from the panic of a goroutine that the function waited for, Rethrown panics with
// it. A panic in the caller's own goroutine, such as in a function that the caller passed, continues unchanged.
func Rethrown(err *error) {
	p := recover()
	if p == nil {
		return
	}
	e, ok := p.(*Error)
	if !ok {
		panic(p)
	}
	*err = e
}

// Call calls f, and returns its error or its panic.
func Call(f func() error) (err error) {
	defer Recover(&err)
	return f()
}

// Await calls f in a new goroutine and waits for it. It returns its error, its panic, or
// ErrExited. In contrast, Call doesn't return if f ends the goroutine.
func Await(f func() error) error {
	err := ErrExited // unless Call returns
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = Call(f)
	}()
	<-done
	return err
}

// In reports whether an error is a panic or wraps one.
func In(err error) bool {
	var e *Error
	return errors.As(err, &e)
}

// Group waits for goroutines, as a sync.WaitGroup does.
type Group struct {
	wait  sync.WaitGroup
	first atomic.Pointer[Error]
}

// Go calls f in a goroutine.
func (g *Group) Go(f func()) {
	g.wait.Go(func() {
		returned := false
		defer func() {
			if p := recover(); p != nil {
				g.first.CompareAndSwap(nil, of(p))
			} else if !returned {
				g.first.CompareAndSwap(nil, of(ErrExited))
			}
		}()
		f()
		returned = true
	})
}

// Err waits until all goroutines have ended and returns the first panic, or nil. A goroutine that ended
// before its function returned counts as a panic with ErrExited.
func (g *Group) Err() error {
	g.wait.Wait()
	if e := g.first.Load(); e != nil {
		return e
	}
	return nil
}

// Wait waits until all goroutines have ended. It repeats the first panic in the caller's goroutine.
func (g *Group) Wait() {
	g.wait.Wait()
	if e := g.first.Load(); e != nil {
		panic(e)
	}
}

// inject is called with the names of places that tests make panic.
var inject atomic.Pointer[func(place string)]

// Inject makes each Point call f until undo is called. Tests use it.
func Inject(f func(place string)) (undo func()) {
	inject.Store(&f)
	return func() { inject.Store(nil) }
}

// Point is a place of that name, at which a test may panic.
func Point(place string) {
	if f := inject.Load(); f != nil {
		(*f)(place)
	}
}
