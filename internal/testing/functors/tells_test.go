package functors_test

import (
	"testing"

	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/testing/functors/compared"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
)

// TestTells: it is found out which functors let a target through wherever they change something there.
func TestTells(t *testing.T) {
	for _, c := range []struct {
		f     any
		tells bool
	}{
		{composed.NewRelax(nil, 0), true},
		{composed.NewLower(nil), true},
		{composed.NewHop(nil, 0), true},
		{composed.NewDiscover(nil, nil), true},
		{composed.NewReach(nil), true},
		{composed.NewShorten[int32](nil, 0), true},
		{composed.NewShorten[float32](nil, 0), true},
		{composed.NewAll(), true},
		{composed.NewNear(nil, 1), false},        // it says when
		{composed.NewArrivals(nil), false},       // it says nothing
		{composed.NewAstray(nil, nil, 1), false}, // elsewhere
		{composed.NewSearch(nil, nil), false},
		{composed.NewRelaxWide(nil, nil, 0), true},
		{composed.NewToll(nil, nil, nil, nil), false}, // it writes at the edge too
		{compared.NewBlind(nil), true},
		{compared.NewLook(nil), true},
	} {
		code := c.f.(link.Functor).Code()
		if code.Tells != c.tells {
			t.Errorf("%s: %v, want %v", code.Name, code.Tells, c.tells)
		}
	}
}
