package driver

import (
	"errors"
	"testing"
)

// A library is chosen before a driver is looked for, or not at all.
func TestUseLibrary(t *testing.T) {
	gone := errors.New("gone")
	s := &system{open: func() (driver, error) { return nil, gone }}
	if canOpenPath() != nil {
		if err := s.use("/nowhere/libcuda.so.1"); !errors.Is(err, ErrNotSupported) {
			t.Errorf("%v, want ErrNotSupported", err)
		}
		return
	}
	for range 2 {
		if err := s.use("/nowhere/libcuda.so.1"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.probe(); !errors.Is(err, ErrNotSupported) || errors.Is(err, gone) {
		t.Errorf("%v: the library isn't looked for where it was said to be", err)
	}
	if err := s.use("/nowhere/libcuda.so.1"); err != nil {
		t.Errorf("the same library again: %v", err)
	}
	if err := s.use("/elsewhere/libcuda.so.1"); !errors.Is(err, ErrInUse) {
		t.Errorf("another library: %v, want ErrInUse", err)
	}
}
