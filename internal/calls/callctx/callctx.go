// Package callctx checks for nil contexts: every exported function that takes a context returns an
// error that wraps graph.ErrOptions for a nil one, before it does anything else.
package callctx

import (
	"context"
	"errors"
	"fmt"
)

// ErrOptions is graph.ErrOptions, for packages below graph.
var ErrOptions = errors.New("graph: bad option")

// Check returns an error if the context is nil. The error's text begins with who.
func Check(ctx context.Context, who string) error {
	if ctx != nil {
		return nil
	}
	if who == "graph" { // as the sentinel begins
		return fmt.Errorf("%w: the context is nil; give context.Background(), or one that ends it", ErrOptions)
	}
	return fmt.Errorf("%s: %w: the context is nil; give context.Background(), or one that ends it", who, ErrOptions)
}

// Ended returns a context that has already ended with err, for functions that can't return an error.
func Ended(err error) context.Context {
	done := make(chan struct{})
	close(done)
	return ended{context.Background(), done, err}
}

type ended struct {
	context.Context
	done chan struct{}
	err  error
}

func (e ended) Done() <-chan struct{} { return e.done }
func (e ended) Err() error            { return e.err }
