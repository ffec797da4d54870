package step_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/operators"
)

// byHand is a functor with these fields.
type byHand []any

func (f byHand) Kernel() operators.Kernel {
	return operators.Kernel{Image: []byte("image"), Name: "by_hand", Fields: f}
}

// TestFields: fields are laid out as in C++, 48 bytes of them, and no kernel gets the address of a buffer
// that was freed or that is in the host's memory.
func TestFields(t *testing.T) {
	b, err := device.NewBuffer[uint32](host.New(1), 3)
	if err != nil {
		t.Fatal(err)
	}
	freed, err := device.NewBuffer[uint32](host.New(1), 3)
	if err := errors.Join(err, freed.Close()); err != nil {
		t.Fatal(err)
	}
	none := (*device.Buffer[uint32])(nil)
	for _, c := range []struct {
		fields byHand
		want   [6]uint64
		err    error
		says   string
	}{
		{byHand{uint32(1), none, int32(-1), float32(1), 1.0}, [6]uint64{1, 0, 0x3f800000ffffffff, 0x3ff0000000000000}, nil, ""},
		{byHand{uint64(1), uint64(2), uint64(3), uint64(4), uint64(5), uint32(6), uint32(7)}, [6]uint64{1, 2, 3, 4, 5, 7<<32 | 6}, nil, ""},
		{byHand{uint64(1), uint64(2), uint64(3), uint64(4), uint64(5), uint64(6), uint32(7)}, [6]uint64{}, nil, "more than 48 bytes"},
		{byHand{freed}, [6]uint64{}, device.ErrClosed, "functor step_test.byHand: closed: a *device.Buffer[uint32], by its Close, or by Result or Close"},
		{byHand{b}, [6]uint64{}, device.ErrNotSupported, "in the host's memory"},
		{byHand{1}, [6]uint64{}, nil, "a field of type int"},
	} {
		code, err := step.CodeOf(nil, c.fields, step.Pushes, link.Use{})
		if c.says != "" {
			if err == nil || c.err != nil && !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v: %v, want %v, %q", c.fields, err, c.err, c.says)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", c.fields, err)
		} else if words, _ := code.Words(); words != c.want {
			t.Errorf("%v: %#x, want %#x", c.fields, words, c.want)
		}
	}
}

// noImage is a functor whose kernels were never compiled.
type noImage struct{}

func (noImage) Kernel() operators.Kernel { return operators.Kernel{Name: "no_image"} }

// TestNoImage: a functor in CUDA C++ without an image is an error of the step, not of the driver.
func TestNoImage(t *testing.T) {
	_, err := step.CodeOf(nil, noImage{}, step.Pushes, link.Use{})
	if !errors.Is(err, operators.ErrFunctor) || !strings.Contains(err.Error(), "functor step_test.noImage: bad functor: its Kernel has no Image") {
		t.Errorf("%v, want operators.ErrFunctor", err)
	}
}
