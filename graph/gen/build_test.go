// This file holds the test of what Build refuses.

package gen

import (
	"context"
	"errors"
	"testing"

	"github.com/foray-graph/foray/graph"
)

func TestBuildRefuses(t *testing.T) {
	if _, err := Build(background, parse(t, "path:10"), graph.Options{Weights: true}); !errors.Is(err, ErrNoWeights) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(background)
	cancel()
	if _, err := Build(ctx, parse(t, "kron31"), graph.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
