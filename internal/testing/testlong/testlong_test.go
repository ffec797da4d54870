package testlong

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"testing"
)

// recorder stands for a test, and notes what became of it first.
type recorder string

func (r *recorder) Helper()      {}
func (r *recorder) Skip(...any)  { r.note("skipped") }
func (r *recorder) Fatal(...any) { r.note("failed") }

func (r *recorder) note(what string) {
	if *r == "" {
		*r = recorder(what)
	}
}

func TestMissing(t *testing.T) {
	for needs, want := range map[string]recorder{"": "skipped", "mpi": "skipped", "stores": "skipped", "store": "failed", "mpi,store": "failed"} {
		t.Setenv("FORAY_TEST_NEEDS", needs)
		var r recorder
		if Missing(&r, "store", "no store"); r != want {
			t.Errorf("with %q a test without a store is %s, want %s", needs, r, want)
		}
	}
}

func TestWithout(t *testing.T) {
	other := recorder("failed")
	if runtime.GOOS == "windows" {
		other = "skipped"
	}
	for err, want := range map[error]recorder{
		&os.LinkError{Err: errors.ErrUnsupported}: "skipped", fmt.Errorf("link: %w", fs.ErrPermission): "skipped",
		fs.ErrExist: other, errors.New("broken"): other,
	} {
		var r recorder
		if Without(&r, "needs links", err); r != want {
			t.Errorf("a test is %s for %v, want %s", r, err, want)
		}
	}
}
