// This file holds the tests that need no GPU; those of searches are in internal/testing/conformance.

package flex_test

import (
	"context"
	"errors"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/internal/paper/flex"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

func TestOnHost(t *testing.T) {
	p, err := testgraph.Path(9).Graph(1).On(host.New(1))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := flex.New(context.Background(), p); !errors.Is(err, device.ErrNotSupported) {
		t.Errorf("%v, want device.ErrNotSupported", err)
	}
}

func TestStepNames(t *testing.T) {
	names := map[string]bool{}
	for _, s := range flex.Steps() {
		names[s.String()] = true
	}
	if len(names) != 5 {
		t.Errorf("names %v of 5 steps", names)
	}
}
