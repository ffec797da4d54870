package generate

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/functor/generate/source"
	"github.com/foray-graph/foray/internal/testing/functorfuzz"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestVetted: go vet has nothing to say about what is generated, though it may about the functors.
func TestVetted(t *testing.T) {
	testlong.Project(t)
	dir := scratch(t)
	f := functorfuzz.NewFile(1, testlong.Of[uint64](200, 1000))
	const more = `
//foray:functor
type either struct {
	A []float64
	T bool
	N uint32
}

func (f *either) Vertex(v traverse.Vertex) {
	if or(f.T, f.T) || other(f.N, 1, 2) {
		f.A[v.ID] = 1
	}
}

func or(a, b bool) bool { return a || b }

func other(n, a, b uint32) bool { return n != a || n != b }

func main() {}
`
	var text []byte
	for {
		err := os.WriteFile(filepath.Join(dir, "functors.go"), append(f.Text(), more...), 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if text, _, err = Text(t.Context(), dir); err == nil {
			break
		}
		if !f.Drop(err) {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, source.FileName), text, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "vet", ".")
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, source.FileName) {
			t.Error(line)
		}
	}
	if !strings.Contains(string(out), "functors.go:") {
		t.Errorf("go vet says nothing about random functors, which have shifts by more than their width: %s", out)
	}
}
