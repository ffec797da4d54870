package panics

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
)

func TestGroup(t *testing.T) {
	var g Group
	for i := range 10 {
		g.Go(func() {
			if i%2 == 1 {
				panic(context.Canceled)
			}
		})
	}
	err := g.Err()
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, context.Canceled) || !strings.Contains(string(e.Stack), "TestGroup") {
		t.Errorf("%v", err)
	}
	outer := func() (err error) {
		defer Rethrown(&err)
		g.Wait()
		return nil
	}
	if got := outer(); got != err {
		t.Errorf("%v, want %v", got, err)
	}
	own := func() (value any) {
		defer func() { value = recover() }()
		func() (err error) {
			defer Rethrown(&err)
			panic("the caller's own")
		}()
		return nil
	}
	if got := own(); got != "the caller's own" {
		t.Errorf("%v", got)
	}
	if err := Call(func() error { return Call(func() error { panic(err) }) }); err != e {
		t.Errorf("%v is not the first", err)
	}
	var quiet Group
	quiet.Go(func() {})
	if quiet.Wait(); quiet.Err() != nil || In(nil) || In(errors.New("x")) {
		t.Error("an error without a panic")
	}
}

// TestExited ends goroutines by runtime.Goexit.
func TestExited(t *testing.T) {
	var g Group
	g.Go(func() {})
	g.Go(runtime.Goexit)
	if err := g.Err(); !errors.Is(err, ErrExited) || !In(err) {
		t.Errorf("Group: %v", err)
	}
	wrong := errors.New("wrong")
	for _, c := range []struct {
		f    func() error
		want error
	}{
		{func() error { return nil }, nil},
		{func() error { return wrong }, wrong},
		{func() error { panic(wrong) }, wrong},
		{func() error { runtime.Goexit(); return nil }, ErrExited},
		{func() error { defer func() { _ = recover() }(); runtime.Goexit(); return nil }, ErrExited},
	} {
		if err := Await(c.f); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("Await: %v, want %v", err, c.want)
		}
	}
}
