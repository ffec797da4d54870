// This file holds the rule on what programs pay for: packages that few programs need are
// linked by those alone (docs/embed.md).

package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// heavy lists packages, by path prefix, that a program links only if it imports them explicitly.
var heavy = []struct{ prefix, remedy string }{
	{"github.com/minio/", "only io/s3 may import it"},
	{module + "/internal/files/s3/client", "only io/s3 may import it; use the interfaces of internal/files/s3"},
	{"github.com/twmb/avro", "only io/arrow/iceberg may import it"},
	{module + "/io/arrow/internal/tables/iceberg", "only io/arrow/iceberg may import it; use tables.Iceberg"},
	{"github.com/andybalholm/brotli", "only io/arrow/brotli may import it; use codec.Brotli"},
	{"net/http", "it links TLS; let a package that is imported for its effect have it (internal/linked)"},
	{"golang.org/x/image", "only cmd/foray draws"},
	{"gonum.org/", "only commands may import it"},
	{"github.com/spf13/", "only commands may import it"},
	{"text/template", "it links every exported method"},
	{module + "/algos/bfs/laboratory", "use gpu.BFSLaboratory"},
	{module + "/operators/advance/laboratory", "use gpu.AdvanceLaboratory"},
	{module + "/internal/testing/", "only tests may import it"},
	{module + "/internal/cluster/", "only cmd/foray runs on several machines"},
}

// heavyOnes names the heavy packages among those that a program links.
func heavyOnes(program string, linked []string) (offenses []string) {
	for _, h := range heavy {
		for _, p := range linked {
			if strings.HasPrefix(p, h.prefix) {
				offenses = append(offenses, fmt.Sprintf("a program of %s links %s: %s", program, p, h.remedy))
				break
			}
		}
	}
	return offenses
}

// TestWeight lists what small programs link.
func TestWeight(t *testing.T) {
	root := "../../.."
	for _, program := range []string{"./graph ./algos/dobfs ./device/host", "./io/arrow ./io/edgelist ./algos/dobfs ./device/host"} {
		linked := goTool(t, root, append([]string{"list", "-deps"}, strings.Fields(program)...)...)
		if !slices.Contains(linked, module+"/algos/dobfs") {
			t.Fatalf("%s links %q", program, linked)
		}
		for _, offense := range heavyOnes(program, linked) {
			t.Error(offense)
		}
		if program[:7] != "./graph" {
			continue
		}
		for _, p := range linked {
			if strings.HasPrefix(p, "github.com/apache/arrow") || strings.HasPrefix(p, module+"/io/") {
				t.Errorf("a program of %s links %s", program, p)
			}
		}
	}
}

// TestNoImages looks for kernels in builds without CUDA.
func TestNoImages(t *testing.T) {
	testlong.Project(t)
	for tags, want := range map[string]bool{"": true, "nocuda": false} {
		found := goTool(t, "../../..", "list", "-tags", tags, "-f", `{{range .EmbedFiles}}{{$.ImportPath}}/{{.}}{{"\n"}}{{end}}`, "./...")
		found = slices.DeleteFunc(found, func(name string) bool {
			return !strings.HasSuffix(name, ".zst") && !strings.HasSuffix(name, ".fatbin") && !strings.HasSuffix(name, "skeletons.bin") && !strings.HasSuffix(name, "ahead.bin")
		})
		if len(found) > 0 != want {
			t.Errorf("-tags %q embeds kernels %q: embed them in a kernels.go with the build tag of the others", tags, found)
		}
	}
}

func TestWeightBroken(t *testing.T) {
	if found := heavyOnes("fine", []string{"fmt", module + "/graph", module + "/algos/bfs"}); len(found) > 0 {
		t.Errorf("offenses %q", found)
	}
	found := heavyOnes("bad", []string{"github.com/minio/minio-go/v7", module + "/algos/bfs/laboratory"})
	if len(found) != 2 || !strings.Contains(found[0], "a program of bad links github.com/minio/minio-go/v7: only io/s3 may import it") {
		t.Errorf("offenses %q", found)
	}
}
