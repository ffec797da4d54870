package operators_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/operators"
)

// byHand is a functor whose one field is a buffer.
type byHand struct{ array *device.Buffer[uint32] }

func (byHand) Kernel() operators.Kernel      { return operators.Kernel{} }
func (f byHand) Fields(to *operators.Fields) { to.Put(f.array) }

// TestFreedField: no kernel gets the address of a buffer that was freed.
func TestFreedField(t *testing.T) {
	b, err := device.NewBuffer[uint32](host.New(1), 3)
	if err := errors.Join(err, b.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := operators.FieldsOf(byHand{b}); !errors.Is(err, device.ErrClosed) || !strings.Contains(err.Error(), "functor operators_test.byHand: closed or freed: a *device.Buffer[uint32] that was freed, by Close, Result or Close") {
		t.Error(err)
	}
	if f, err := operators.FieldsOf(byHand{}); err != nil || f.Words[0] != 0 {
		t.Errorf("no buffer: %v, %v", f, err)
	}
}
