// This file holds the rules on imports: which package lies above which, and who may use
// the packages of other modules.

package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// layers lists the packages of the module from the bottom up. A package imports packages of
// earlier lines, never of the same or a later line. A name that ends in a
// slash stands for all folders below.
var layers = []string{
	// Tools that know nothing of graphs.
	"internal/linked",
	"internal/page internal/text/buildinfo internal/calls/callctx internal/files/ctxfile internal/osmem/hugepage internal/text/logical internal/calls/looks internal/osmem/pages internal/osmem/rlimit " +
		"internal/text/limit internal/files/pathglob internal/osmem/prefetch internal/files/tableformat internal/text internal/engine/bitmap internal/engine/tuning internal/gpu/kernelcache atomics random internal/functor/ir",
	"internal/engine/budget metrics",
	"device",
	"internal/calls/panics internal/discrete",
	"internal/files/location internal/functor/ptx internal/functor/generate/gohost internal/functor/generate/source",
	"internal/files/atomicfile internal/files/s3 internal/cluster/comm internal/gpu/driver",
	"internal/functor/generate internal/files/s3/client",
	// Devices.
	"cuda",
	"internal/host internal/gpu internal/engine/placed",
	"operators/advance/laboratory internal/functor/ahead",
	"algos/bfs/laboratory algos/internal/ahead device/host internal/cluster/nccl",
	// The graph, and reading and writing it.
	"graph",
	"graph/gen internal/oracle algos/internal/dijkstra internal/engine/farpile internal/engine/keyedrows internal/engine/front internal/engine/scan io/arrow/internal/codec io/arrow/internal/columnar io/edgelist io/s3",
	"internal/functor/link",
	"io/arrow/internal/csv io/arrow/internal/ipc io/arrow/internal/tables io/arrow/internal/tables/roaring io/arrow/internal/parquet io/arrow/internal/parquet/metadata io/arrow/internal/where",
	"io/arrow/internal/tables/delta io/arrow/internal/tables/iceberg",
	"io/arrow/brotli io/arrow/iceberg io/arrow/internal/input",
	"io/arrow/internal/dataset io/arrow/internal/write",
	"io/arrow/internal/errs io/arrow/internal/prepared",
	"io/arrow",
	"io/arrow/cdata io/arrow/graphar",
	// Frontiers and operators.
	"frontier operators",
	"internal/engine/step",
	"internal/layout/rowcheck internal/layout/byweight internal/layout/shortrows internal/engine/hubs internal/testing/depthcheck algos/internal/lanes/steps algos/cc/internal/unite algos/kcore/internal/mesh algos/bc/internal/sweep internal/engine/windows functor",
	"operators/pile internal/engine/chunks",
	"operators/filter operators/foreach operators/reduce",
	"internal/layout/rows operators/advance",
	"operators/intersect",
	// Traversals and algorithms.
	"device/gpu internal/cluster/engine internal/engine/run",
	"traverse",
	"internal/testing/functors internal/testing/functors/byhand internal/testing/functors/compared internal/testing/functors/composed internal/testing/functors/keyed algos/sssp/internal/functors",
	"internal/layout/simple algos/internal/lanes algos/internal/matrix algos/internal/modularity",
	"algos/internal/forest algos/internal/undirected",
	"algos/bc algos/bfs algos/bridges algos/cc algos/color algos/degree algos/eigenvector algos/hits algos/katz algos/kclique algos/kcore algos/ktruss algos/leiden algos/louvain algos/lpa algos/mis algos/msbfs algos/msf algos/order algos/pagerank algos/paths algos/reach algos/similar algos/sssp algos/topo algos/triangles algos/walks",
	"algos/closeness algos/dobfs",
	// Programs.
	".",                   // documentation alone
	"examples/components", // examples/cookbook runs it
	"examples/",
	"bench internal/paper/flex",
	"internal/graphreport internal/paper",
	"cmd/",
}

// helpers are packages that only tests, go generate and scripts use. No other package may
// import them. They may import anything but commands.
var helpers = strings.Fields("bench/rivals foraytest internal/testing/algofuzz internal/cluster/comm/commtest internal/testing/conformance internal/tools/doctest internal/testing/emulator internal/testing/emulator/build internal/tools/ahead internal/tools/fatbin internal/tools/pack " +
	"internal/testing/functorfuzz internal/testing/functorfuzz/kernels internal/testing/functorfuzz/loops internal/testing/functorfuzz/million internal/testing/functorfuzz/ongpu internal/testing/functorfuzz/steps internal/functor/generate/source/constructs internal/functor/generate/source/gocall internal/testing/structs internal/tools/notice internal/functor/ptx/ptxtest internal/tools/rules internal/testing/testctx internal/testing/testfile internal/testing/testgraph internal/testing/testlong " +
	"internal/testing/tests3 internal/testing/testsearch internal/tools/typecheck internal/tools/weight io/arrow/internal/craft io/arrow/internal/crafticeberg io/arrow/internal/samples")

// files are the packages that read and write files, and loaders the packages that may import them: the
// library itself takes graphs that the caller has loaded.
const (
	files   = "io/"
	loaders = "io/ examples/ bench cmd/"
)

// foreign lists which folders may import packages of other modules: only the folders listed may import a path
// that begins with the key.
var foreign = []struct {
	prefix  string
	folders string
	remedy  string
}{
	{"github.com/apache/arrow", "io/arrow/ examples/", "hand over slices, or add to io/arrow what is needed"},
	{"github.com/andybalholm/brotli", "io/arrow/brotli", "use codec.Brotli"},
	{"github.com/twmb/avro", "io/arrow/internal/tables/iceberg", "add to that package what is needed"},
	{"github.com/ebitengine/purego", "internal/gpu/driver internal/cluster/comm internal/cluster/nccl", "add to the package that opens the library what is needed"},
	{"gorgonia.org/cu", "internal/gpu/driver cuda", "add to internal/gpu/driver what is needed"},
	{"github.com/minio/", "internal/files/s3/client", "add to internal/files/s3 what is needed"},
	{"github.com/spf13/", "cmd/", "take an option instead of a flag"},
	{"golang.org/x/image", "cmd/", "return the figures and let cmd/foray draw them"},
	{"github.com/schollz/progressbar", "cmd/", "take a Progress function and let cmd/foray show it"},
	{"golang.org/x/term", "cmd/", "let cmd/foray look at the terminal"},
}

// within reports whether a folder is one of those listed.
func within(folder, list string) bool {
	for name := range strings.FieldsSeq(list) {
		if name == folder || strings.HasSuffix(name, "/") && strings.HasPrefix(folder+"/", name) {
			return true
		}
	}
	return false
}

// layerOf returns the line of layers that has a package, or -1.
func layerOf(folder string) int {
	return slices.IndexFunc(layers, func(line string) bool { return within(folder, line) })
}

// badImports names the imports that break the rules, and packages in no layer.
func badImports(t *tree) (offenses []string) {
	add := func(format string, args ...any) { offenses = append(offenses, fmt.Sprintf(format, args...)) }
	for _, folder := range t.folders() {
		layer, helper := layerOf(folder), slices.Contains(helpers, folder)
		sources := slices.DeleteFunc(slices.Clone(t.packages[folder]), func(s source) bool { return s.test })
		if len(sources) > 0 && layer < 0 && !helper {
			add("%s is in no layer; add it to layers in internal/tools/rules/imports_test.go, below what it imports, "+
				"or to helpers if only tests use it", folder)
			continue
		}
		for _, s := range sources {
			for _, i := range s.Imports {
				what := strings.Trim(i.Path.Value, `"`)
				place := t.at(i)
				for _, f := range foreign {
					if strings.HasPrefix(what, f.prefix) && !helper && !within(folder, f.folders) {
						add("%s: %s imports %s, which is for %s alone; %s", place, folder, what, f.folders, f.remedy)
					}
				}
				to, ours := strings.CutPrefix(what+"/", module+"/")
				if !ours {
					continue
				}
				to = path.Clean(to)
				switch above := layerOf(to); {
				case within(to, "cmd/"):
					add("%s: %s imports the command %s; move what it needs to a package of its own", place, folder, to)
				case helper, to == folder: // a program that is a single file, as bench/gpu_modes.go
				case slices.Contains(helpers, to):
					add("%s: %s imports %s, which is for tests; move what it needs to where both may import it", place, folder, to)
				case above >= layer:
					add("%s: %s imports %s, which isn't below it (internal/tools/rules/imports_test.go); "+
						"let the upper one pass in what is needed, or move that down", place, folder, to)
				case within(to, files) && !within(folder, loaders):
					add("%s: %s imports %s, which is for %s alone; take a graph that the caller has loaded", place, folder, to, loaders)
				case to == "internal/gpu/driver" && !within(folder, "cuda device/gpu internal/gpu"):
					add("%s: %s imports %s, which is for cuda, device/gpu and internal/gpu alone; add to internal/gpu what is needed", place, folder, to)
				case to == "cuda" && folder != "device/gpu":
					add("%s: %s imports %s, which is for users and device/gpu; use internal/gpu", place, folder, to)
				}
			}
		}
	}
	return offenses
}

func TestImports(t *testing.T) { keep(t, badImports) }

func TestImportsBroken(t *testing.T) {
	file := func(imports ...string) string {
		text := "package p\n"
		for _, i := range imports {
			text += "import _ \"" + i + "\"\n"
		}
		return text
	}
	of := func(folder string) string { return module + "/" + folder }
	broken(t, badImports, map[string]string{
		"algos/bfs/a.go":                 file("fmt", of("graph"), of("traverse")),
		"algos/bfs/a_test.go":            file(of("internal/testing/testgraph"), of("algos/dobfs")),
		"cmd/foray/a.go":                 file("github.com/spf13/cobra", of("algos/bfs"), of("bench")),
		"examples/a/a.go":                file("github.com/apache/arrow/go/v15/arrow"),
		"internal/testing/conformance/a": file(of("algos/dobfs")),
		"examples/own/go.mod":            "module own",
		"examples/own/a.go":              file(of("internal/testing/testgraph")),
	})
	for name, c := range map[string]struct{ file, imports, want string }{
		"up":          {"graph/a.go", of("algos/bfs"), "graph/a.go:2: graph imports algos/bfs, which isn't below it"},
		"sideways":    {"operators/filter/a.go", of("operators/reduce"), "operators/filter imports operators/reduce"},
		"traverse":    {"operators/advance/a.go", of("traverse"), "operators/advance imports traverse"},
		"io":          {"io/arrow/graphar/a.go", of("frontier"), "isn't below it"},
		"load":        {"traverse/a.go", of("io/arrow"), "take a graph that the caller has loaded"},
		"tests":       {"graph/a.go", of("internal/testing/testgraph"), "which is for tests"},
		"command":     {"internal/testing/conformance/a.go", of("cmd/foray"), "imports the command cmd/foray"},
		"driver":      {"traverse/a.go", of("internal/gpu/driver"), "add to internal/gpu what is needed"},
		"public":      {"traverse/a.go", of("cuda"), "use internal/gpu"},
		"arrow":       {"graph/a.go", "github.com/apache/arrow/go/v15/arrow", "graph/a.go:2: graph imports github.com/apache/arrow/go/v15/arrow, which is for io/arrow/"},
		"cobra":       {"bench/a.go", "github.com/spf13/cobra", "take an option"},
		"progressbar": {"io/arrow/a.go", "github.com/schollz/progressbar/v3", "Progress function"},
		"plot":        {"algos/bfs/a.go", "golang.org/x/image/font", "let cmd/foray draw"},
		"purego":      {"internal/gpu/a.go", "github.com/ebitengine/purego", "internal/gpu/driver"},
		"new":         {"operators/sort/a.go", "fmt", "operators/sort is in no layer"},
	} {
		t.Run(name, func(t *testing.T) { broken(t, badImports, map[string]string{c.file: file(c.imports)}, c.want) })
	}
}
