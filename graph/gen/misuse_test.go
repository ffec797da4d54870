package gen

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
)

func TestMisuse(t *testing.T) {
	ctx, nothing := context.Background(), func(int, []uint32, []uint32) error { return nil }
	g, err := Parse("path:10")
	if err != nil {
		t.Fatal(err)
	}
	_, build := Build(ctx, nil, graph.Options{})
	for _, err := range []error{build, Edges(ctx, nil, 0, nothing), Edges(ctx, g, 0, nil), Ordered(ctx, nil, 0, nothing), Ordered(ctx, g, 0, nil)} {
		if !errors.Is(err, graph.ErrOptions) || !strings.HasPrefix(err.Error(), "gen: ") {
			t.Error(err)
		}
	}
	for _, spec := range []string{"kron99", strings.Repeat("a", 1e5), "path:" + strings.Repeat("b", 1e5)} {
		if _, err := Parse(spec); !errors.Is(err, ErrSpec) || !strings.HasPrefix(err.Error(), "gen: ") || len(err.Error()) > 1000 {
			t.Errorf("%.20s: %.200v", spec, err)
		}
	}
}
