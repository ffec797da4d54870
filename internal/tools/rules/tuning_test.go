// This file holds the rule on where tuning numbers stand: thresholds, sizes
// of blocks and buffers, limits.

package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"math"
	"path"
	"slices"
	"strings"
	"testing"
)

// given has the files in which numbers may stand that a format, a driver, a layout or a
// definition gives, and why. names are those numbers; all of the file where there are none.
var given = map[string]struct{ names, why string }{
	"internal/host/stream.go":                      {"callBits callWorkers slotBits slotOut slotInside slotWaited slotPhase", "parts of a word"},
	"algos/sssp/exact.go":                          {"digits32 digits64 mostBits", "the digits of floats"},
	"algos/ktruss/functors.go":                     {"leaving", "a bit of a word"},
	"algos/sssp/together.go":                       {"peerStateBytes boardBytes", "sizes of structures"},
	"algos/sssp/windows.go":                        {"windowsStateBytes windowRow windowPart windowPartBytes", "what the kernel has (windows_args.cuh)"},
	"graph/append_rows.go":                         {"patchInserts patchDrops patchPlace", "parts of a word"},
	"graph/builder_chunks.go":                      {"chunkBytes chunkWeightBytes chunkIDBytes", "sizes of structures"},
	"graph/checksum.go":                            {"checksumBlock", "part of what the checksum is"},
	"graph/gen/gen.go":                             {"BlockEdges", "part of what a generated graph is"},
	"graph/gen/kinds.go":                           {"defaultSide", "part of what a generated graph is"},
	"graph/gen/random.go":                          {"", "the random numbers of generated graphs"},
	"graph/gen/rmat.go":                            {"", "the parameters of Graph500"},
	"graph/gen/rmat_table.go":                      {"", "part of what a generated graph is"},
	"graph/gen/road_tile.go":                       {"", "the shape of road-like graphs"},
	"graph/gen/cliques.go":                         {"", "part of what a generated graph is"},
	"graph/gen/mesh.go":                            {"", "part of what a generated graph is"},
	"graph/gen/powerlaw.go":                        {"", "part of what a generated graph is"},
	"graph/gen/stencil.go":                         {"", "part of what a generated graph is"},
	"graph/gen/web.go":                             {"", "part of what a generated graph is"},
	"internal/page/svg.go":                         {"", "the measures of a picture"},
	"graph/gen/weights.go":                         {"maxInteger", "what fits into a float32"},
	"internal/engine/placed/uses.go":               {"usesCounts", "part of a word"},
	"algos/internal/lanes/steps/lanes.go":          {"MostWords Edges Done Any", "what the kernels have"},
	"algos/bc/internal/sweep/sweep.go":             {"Results", "what the kernels have"},
	"operators/advance/pairs_host.go":              {"weightAt longAt longLen", "the parts of a block"},
	"internal/files/atomicfile/atomicfile.go":      {"maxBase", "the longest name that file systems take"},
	"internal/cluster/comm/comm.go":                {"Unknown", "no rank"},
	"internal/cluster/comm/mpi_call.go":            {"", "the layout and tags of messages"},
	"internal/cluster/comm/mpi_library.go":         {"", "numbers of mpi.h"},
	"internal/cluster/comm/mpi_news.go":            {"newsBytes newsText FailureWords", "the layout of messages"},
	"internal/cluster/comm/mpi_signals.go":         {"sigactionBytes", "more than a structure of the C library has"},
	"internal/gpu/driver/driver.go":                {"", "numbers of the driver's interface"},
	"internal/gpu/driver/launch.go":                {"MaxArgs argWords", "the layout of arguments"},
	"internal/gpu/driver/purego_device.go":         {"", "numbers of the driver's interface"},
	"internal/gpu/driver/purego_memory.go":         {"", "numbers of the driver's interface"},
	"internal/gpu/ahead.go":                        {"", "the layout of a pack"},
	"internal/gpu/device.go":                       {"alignment", "what kernels may rely on"},
	"internal/gpu/ring.go":                         {"Counts slotBytes", "the layout of a slot"},
	"internal/gpu/faults.go":                       {"faultWords", "a page of memory"},
	"internal/layout/shortrows/shortrows.go":       {"perVertex", "the layout of the kernel"},
	"internal/osmem/hugepage/hugepage.go":          {"", "the size of pages"},
	"internal/osmem/hugepage/hugepage_linux.go":    {"", "the size of pages"},
	"internal/functor/ir/block.go":                 {"FaultWord StopWord FirstWord FaultBits MaxIndex MinIndex", "the layout of a functor's block"},
	"internal/text/logical/text.go":                {"dayMillis daySeconds", "the length of a day"},
	"internal/osmem/pages/pages.go":                {"least raw", "the size of pages, and a number of the system's"},
	"internal/gpu/group.go":                        {"MostPeers", "the layout of the kernels"},
	"algos/bfs/shards_gpu.go":                      {"peerStateBytes", "the layout of the kernel"},
	"algos/bfs/deep_gpu.go":                        {"deepBytes", "the layout of the kernel"},
	"algos/bfs/fused_gpu.go":                       {"fusedTargets stateBytes mostCodes", "layouts and codes of the kernel"},
	"internal/cluster/engine/gpu_args.go":          {"slotWords queueShift wordBytes", "the layout of a header, and what kernels number with"},
	"internal/cluster/nccl/calls.go":               {"wordBytes", "the size of a word"},
	"internal/cluster/nccl/library.go":             {"", "numbers of nccl.h"},
	"internal/cluster/nccl/news.go":                {"", "the layout of a report"},
	"internal/engine/step/step.go":                 {"FieldWords AllVertices InEdges Dedupe DoubleScalar IfAbove Beside MaxOps hasPushes", "layouts and flags of the kernels"},
	"internal/functor/link/link.go":                {"ShortRows LongRows", "bits of the kernels"},
	"io/arrow/cdata/import.go":                     {"maxDepth", "the deepest nesting of the interface's schemas that is followed"},
	"io/arrow/internal/columnar/column.go":         {"MaxDigits MaxScale", "what fits into 64 bits"},
	"io/arrow/internal/columnar/strings.go":        {"wide", "what fits into 32 bits"},
	"io/arrow/internal/columnar/wide.go":           {"dayNanos epochDay", "the calendar of INT96"},
	"io/arrow/internal/ipc/file.go":                {"", "Arrow's format"},
	"io/arrow/internal/ipc/format.go":              {"maxDecimal", "what fits into 64 bits"},
	"io/arrow/internal/ipc/stream.go":              {"codecNone codecLZ4 codecZstd", "Arrow's format"},
	"io/arrow/internal/ipc/views.go":               {"viewBytes inlineBytes", "Arrow's format"},
	"io/arrow/internal/tables/delta/vector.go":     {"portableMagic nativeMagic", "Delta Lake's format"},
	"io/arrow/internal/tables/iceberg/names.go":    {"", "Iceberg's format"},
	"io/arrow/internal/tables/roaring/roaring.go":  {"", "Roaring's format"},
	"io/arrow/internal/parquet/names.go":           {"", "Parquet's format"},
	"io/arrow/internal/parquet/schema.go":          {"", "Parquet's format"},
	"io/arrow/internal/parquet/thrift.go":          {"", "Thrift's format"},
	"io/arrow/internal/where/literal.go":           {"zoned", "one of the kinds of a literal"},
	"io/arrow/internal/where/rows.go":              {"no unknown yes", "the values of SQL's logic"},
	"io/arrow/internal/dataset/keys.go":            {"maxDecimal18", "what 18 digits hold"},
	"io/arrow/internal/prepared/head.go":           {"GraphVersion versionEdgeIDs versionKinds versionWideWeights", "versions of the format"},
	"io/arrow/internal/prepared/edges.go":          {"versionColumns", "a version of the format"},
	"io/arrow/internal/prepared/vertices.go":       {"versionVertexColumns", "a version of the format"},
	"io/arrow/internal/prepared/message.go":        {"", "Arrow's format"},
	"io/arrow/internal/write/dir.go":               {"maxKey", "the longest key that stores take"},
	"io/edgelist/pipeline.go":                      {"seqNow", "a mark that isn't a place"},
	"operators/intersect/pairs_gpu.go":             {"optionAscending optionTriangles", "flags of the kernel"},
	"operators/reduce/mode_gpu.go":                 {"modeCountsBytes modeLongBytes modePartBytes modeSlotBytes", "sizes of structures"},
	"internal/gpu/persistent.go":                   {"EndedLimited EndedStopped EndedPaused EndedNothing EndedLate EndedNoRoom GridBytes", "layouts and codes of the kernels"},
	"traverse/cluster_gpu.go":                      {"clusterBytes stateBytes", "layouts of the kernels"},
	"io/arrow/internal/parquet/metadata/page.go":   {"", "Parquet's format"},
	"io/arrow/internal/parquet/metadata/thrift.go": {"", "Thrift's format"},
}

// basic are the types that tuning numbers may be declared with. A constant of a named type belongs to
// an enumeration.
const basic = " int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float32 float64 "

// numbers returns the constants and variables of a file's top level that are numbers, not
// made by iota.
func numbers(s source) (found []*ast.Ident) {
	for _, d := range s.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST && g.Tok != token.VAR {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			if id, ok := v.Type.(*ast.Ident); v.Type != nil && (!ok || !strings.Contains(basic, " "+id.Name+" ")) {
				continue
			}
			for i, x := range v.Values {
				if isNumber(x) {
					found = append(found, v.Names[i])
				}
			}
		}
	}
	return found
}

// isNumber reports an expression with a number in it and nothing that isn't reckoned with.
func isNumber(x ast.Expr) bool {
	digits, other := false, false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if n.Kind == token.INT || n.Kind == token.FLOAT {
				digits = true
			} else {
				other = true
			}
		case *ast.Ident:
			other = other || n.Name == "iota"
		case *ast.CallExpr, *ast.CompositeLit, *ast.FuncLit, *ast.IndexExpr, *ast.UnaryExpr:
			if u, ok := n.(*ast.UnaryExpr); !ok || u.Op != token.SUB {
				other = true
			}
		}
		return true
	})
	return digits && !other
}

// enough is the number of tuning numbers from which a package keeps them in a tuning file.
const enough = 4

// strayNumbers names numbers of the library that stand neither in a tuning file nor in given. A package
// with fewer than enough numbers has no tuning file: its numbers stand at the top of the files that use them,
// before the first function.
func strayNumbers(t *tree) (offenses []string) {
	for _, folder := range t.folders() {
		if within(folder, "internal/engine/tuning cmd/ examples/ bench .") || slices.Contains(helpers, folder) {
			continue
		}
		var stray []*ast.Ident
		below := map[*ast.Ident]bool{} // a function stands above it
		kept, file := 0, ""
		for _, s := range t.packages[folder] {
			if s.test {
				continue
			}
			if strings.HasSuffix(path.Base(s.path), "tuning.go") {
				kept, file = kept+len(numbers(s)), s.path
				continue
			}
			first := token.Pos(math.MaxInt)
			for _, d := range s.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					first = f.Pos()
					break
				}
			}
			g, listed := given[s.path]
			for _, n := range numbers(s) {
				if listed && (g.names == "" || slices.Contains(strings.Fields(g.names), n.Name)) {
					continue
				}
				stray = append(stray, n)
				below[n] = n.Pos() > first
			}
		}
		if all := kept + len(stray); file != "" && all < enough {
			offenses = append(offenses, fmt.Sprintf("%s: the package has %d numbers; move those at the top of the files that use them, "+
				"with where they come from: a tuning.go is for %d or more", file, all, enough))
		}
		for _, n := range stray {
			switch {
			case kept+len(stray) >= enough:
				offenses = append(offenses, fmt.Sprintf("%s: %s is a number that somebody chose; move it to %s/tuning.go and say where it comes from, "+
					"or add it to given in internal/tools/rules/tuning_test.go if a format or a kernel's layout gives it", t.at(n), n.Name, folder))
			case below[n]:
				offenses = append(offenses, fmt.Sprintf("%s: %s is a number that somebody chose; move it to the top of the file, "+
					"before the first function, and say where it comes from", t.at(n), n.Name))
			}
		}
	}
	return offenses
}

func TestTuning(t *testing.T) {
	keep(t, strayNumbers)
	r, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	for name, g := range given {
		var has []string
		for _, s := range r.packages[path.Dir(name)] {
			if s.path == name {
				for _, n := range numbers(s) {
					has = append(has, n.Name)
				}
			}
		}
		for n := range strings.FieldsSeq(g.names) {
			if !slices.Contains(has, n) {
				t.Errorf("given in internal/tools/rules/tuning_test.go has %s of %s, which isn't there any more; remove it", n, name)
			}
		}
		if len(has) == 0 || g.why == "" {
			t.Errorf("given in internal/tools/rules/tuning_test.go has %s, in which no number is, or no reason for it; remove it", name)
		}
	}
}

func TestTuningBroken(t *testing.T) {
	const some = `package p
import "time"
type kind uint8
const (
	a kind = 3
	b = iota
	c = "4"
	d = len("x") + 1
	e, f = 1 << 10, -2
	g float64 = 0.5
	h = 3 * time.Second
	i = 16 * q.Block
)
var j uint32 = 4096
var k = []int{1}
var l = &j
var m int
func n() { const o = 7 }
`
	var names []string
	for _, n := range numbers(parsed(t, some)[0]) {
		names = append(names, n.Name)
	}
	if got, want := strings.Join(names, " "), "e f g h i j"; got != want {
		t.Errorf("numbers: %s, want %s", got, want)
	}
	const (
		one   = "package p\n\n// chunk was measured.\nconst chunk = 512\n"
		late  = "package p\n\nfunc f() {}\n\nconst chunk = 512\n"
		three = "package p\n\nconst a, b, c = 1, 2, 3\n"
		four  = "package p\n\nconst a, b, c, d = 1, 2, 3, 4\n"
	)
	broken(t, strayNumbers, map[string]string{
		"graph/tuning.go":                   four,
		"frontier/convert.go":               one,
		"operators/pile/pile.go":            three,
		"internal/engine/tuning/numbers.go": four,
		"graph/a_test.go":                   four,
		"cmd/foray/a.go":                    four,
		"internal/testing/testgraph/a.go":   four,
		"io/arrow/internal/dataset/keys.go": "package p\nconst maxDecimal18 = 999\n",
		"graph/gen/rmat.go":                 four,
	})
	broken(t, strayNumbers, map[string]string{"graph/tuning.go": four, "graph/a.go": one, "frontier/late.go": late, "operators/pile/tuning.go": one},
		"frontier/late.go:5: chunk is a number that somebody chose; move it to the top of the file",
		"graph/a.go:4: chunk is a number that somebody chose; move it to graph/tuning.go",
		"operators/pile/tuning.go: the package has 1 numbers; move those at the top of the files that use them")
}
