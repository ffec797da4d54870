// Command weight measures what imports add to programs: it builds a program for each line of
// the table in docs/embed.md, without symbols (-ldflags "-s -w"), and prints the table.
//
//	go run ./internal/tools/weight
//
// Run it in the root of the repository. It takes some minutes with an empty build cache.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const module = "github.com/foray-graph/foray"

// program is a program that calls functions, and what its line is called.
type program struct {
	name  string
	calls []string // functions and methods: a package's folder, a colon and an expression in which P is the package
	links []string // packages that are imported for their effect
	more  bool     // than the program of the last line without it
}

// base is what an embedder has at least: a graph from slices, one algorithm, the host.
var base = []string{"graph:P.NewBuilder", "graph:(*P.Builder).Build", "graph:(*P.Graph).On", "algos/dobfs:P.Run", "algos/bfs:(*P.Result).Depths", "device/host:P.New"}

func programs() []program {
	load := append([]string{"io/arrow:P.Load"}, base...)
	all := []program{{name: "`graph`, `algos/dobfs`, `device/host`", calls: base}}
	for _, a := range []string{"algos/bfs", "algos/cc", "algos/sssp", "algos/pagerank", "algos/lpa", "algos/msbfs", "algos/closeness", "algos/kcore", "algos/color", "algos/mis", "algos/msf", "algos/bridges", "algos/ktruss", "algos/kclique", "algos/louvain", "algos/leiden", "algos/topo", "algos/triangles", "algos/bc", "algos/degree", "algos/eigenvector", "algos/hits", "algos/katz"} {
		all = append(all, program{name: "`" + a + "`", calls: append([]string{a + ":P.Run"}, base...), more: true})
	}
	return append(all,
		program{name: "`traverse`, `operators/advance`, `operators/filter`", calls: append([]string{"traverse:P.New", "operators/advance:P.Push", "operators/filter:P.Unique"}, base...), more: true},
		program{name: "`device/gpu`: builds graphs on a GPU", calls: base, links: []string{"device/gpu"}, more: true},
		program{name: "`algos/bfs/laboratory`", calls: base, links: []string{"algos/bfs/laboratory"}, more: true},
		program{name: "`io/edgelist`: text formats", calls: append([]string{"io/edgelist:P.Load"}, base...), more: true},
		program{name: "`io/arrow`: `Load` from local files", calls: load},
		program{name: "`arrow.Write`", calls: append([]string{"io/arrow:P.Write"}, load...), more: true},
		program{name: "`io/arrow/brotli`", calls: load, links: []string{"io/arrow/brotli"}, more: true},
		program{name: "`io/arrow/iceberg`", calls: load, links: []string{"io/arrow/iceberg"}, more: true},
		program{name: "`io/s3`", calls: load, links: []string{"io/s3"}, more: true},
		program{name: "`io/arrow/graphar`", calls: append([]string{"io/arrow/graphar:P.Load"}, load...), more: true},
		program{name: "all of these", calls: append([]string{"io/arrow:P.Write", "io/arrow/graphar:P.Load", "io/edgelist:P.Load"}, load...), links: []string{"io/arrow/brotli", "io/arrow/iceberg", "io/s3"}, more: true},
	)
}

func main() {
	log.SetFlags(0)
	flag.Parse()
	dir, err := os.MkdirTemp("", "weight")
	check(err)
	defer os.RemoveAll(dir)
	fmt.Println("| program | megabytes | with `-tags nocuda` |\n|---|---|---|")
	var last [2]int64
	for _, p := range programs() {
		file := filepath.Join(dir, "main.go")
		check(os.WriteFile(file, []byte(p.source()), 0o644))
		var sizes [2]int64
		for i, tags := range []string{"", "nocuda"} {
			sizes[i] = size(dir, file, tags)
		}
		if !p.more {
			last = sizes
			fmt.Printf("| %s | %.1f | %.1f |\n", p.name, megabytes(sizes[0]), megabytes(sizes[1]))
			continue
		}
		fmt.Printf("| + %s | + %.1f | + %.1f |\n", p.name, megabytes(sizes[0]-last[0]), megabytes(sizes[1]-last[1]))
	}
	fmt.Printf("| the command `cmd/foray` | %.1f | %.1f |\n", megabytes(size(dir, "./cmd/foray", "")), megabytes(size(dir, "./cmd/foray", "nocuda")))
}

// source returns the text of the program.
func (p *program) source() string {
	var imports, calls strings.Builder
	for i, c := range p.calls {
		folder, call, _ := strings.Cut(c, ":")
		fmt.Fprintf(&imports, "import p%d %q\n", i, module+"/"+folder)
		fmt.Fprintf(&calls, "\tuse(%s)\n", strings.ReplaceAll(call, "P.", fmt.Sprintf("p%d.", i)))
	}
	for _, folder := range p.links {
		fmt.Fprintf(&imports, "import _ %q\n", module+"/"+folder)
	}
	return "package main\n\n" + imports.String() + "\nfunc main() {\n" + calls.String() + "}\n\n//go:noinline\nfunc use(f any) { println(f) }\n"
}

// size builds a program and returns its size in bytes.
func size(dir, what, tags string) int64 {
	out := filepath.Join(dir, "program")
	c := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-tags", tags, "-o", out, what)
	c.Stderr = os.Stderr
	check(c.Run())
	info, err := os.Stat(out)
	check(err)
	return info.Size()
}

func megabytes(n int64) float64 { return float64(n) / 1e6 }

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
