//go:build ignore

// This program estimates searches over more GPUs than were measured, from cluster.csv of a report of searches over the GPUs of
// one machine, as Markdown.
//
//	DIR/gpus-bench paper # after scripts/gpus-bench build DIR
//	go run bench/model.go [-machine 8] [-network 50] [-call16 150] [-call128 250] [-linked 0.45] DIR/paper/cluster.csv
//
// The rows of weak scaling on 1, 2 and 4 GPUs are the input, and the rows of options. m is the most GPUs, 4 or 2. Each of p GPUs
// has as much of the graph as one GPU has in the row of m. In ms:
//
//	computation(p)  C(m) + log2(p/m) (C(m) - C(1)) / log2(m), as measured on m GPUs and on one; at least C(m)
//	waiting(p)      likewise
//	exchange(p)     levels x call + (normals(p) + delegates(p)) / rate
//
// Within a machine a GPU receives the bitmap of the others' normal vertices three times, and the bitmap of delegates of each other GPU
// four times: normals(p) is 3 (p-1) n/8 bytes for n normal vertices with edges on each GPU, delegates(p) is 4 (p-1) d(p)/8 bytes
// for d(p) delegates, which grow as the graph does. call and rate fit exchange(2) and exchange(4). -call and -rate set them.
// They must be set if m is 2, or if no call and rate fit.
//
// Between machines the rate is -network, and a call takes -call16 on 16 machines and -call128 on 128. The rest is assumed: nn edges
// are pushed, which costs what the option costs more. A quarter of their targets are sent, 4 bytes each. A higher threshold
// leaves fewer delegates by -fewer, which owners unite: 4 x 2 d(p)/8 bytes.
package main

import (
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
)

const (
	gathersNormals, gathersDelegates = 3, 4
	newShare                         = 0.25 // of the targets of nn edges
)

var (
	machine = flag.Int("machine", 8, "GPUs of a machine")
	network = flag.Float64("network", 50, "GB/s of a GPU between machines")
	call16  = flag.Float64("call16", 150, "us of a call over 16 machines")
	call128 = flag.Float64("call128", 250, "us of a call over 128 machines")
	linked  = flag.Float64("linked", 0.45, "share of the vertices that have edges")
	fewer   = flag.Float64("fewer", 5, "how many times fewer delegates a higher threshold leaves between machines")
	levels  = flag.Float64("levels", 6, "levels of a search")
	call    = flag.Float64("call", 0, "us of a call within a machine; 0: fitted")
	rate    = flag.Float64("rate", 0, "GB/s that a GPU receives within a machine; 0: fitted")
)

// row is a row of the file.
type row map[string]string

func (r row) number(name string) float64 {
	x, err := strconv.ParseFloat(r[name], 64)
	if err != nil {
		exit(fmt.Errorf("column %s: %w", name, err))
	}
	return x
}

func exit(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func main() {
	flag.Parse()
	if flag.NArg() != 1 {
		exit(fmt.Errorf("want the path of cluster.csv"))
	}
	f, err := os.Open(flag.Arg(0))
	if err != nil {
		exit(err)
	}
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		exit(err)
	}
	weak, options := map[int]row{}, map[string]row{}
	for _, fields := range all[1:] {
		r := row{}
		for i, name := range all[0] {
			r[name] = fields[i]
		}
		if r["gpus"] == "0" || r["not_measured"] != "" {
			continue
		}
		switch r["figure"] {
		case "weak scaling":
			weak[int(r.number("ranks"))] = r
		case "option":
			options[r["option"]] = r
		}
	}
	one, two, most := weak[1], weak[2], weak[4]
	if most == nil {
		most = two
	}
	if one == nil || two == nil {
		exit(fmt.Errorf("want weak scaling on 1, 2 and 4 GPUs"))
	}
	m := most.number("ranks")
	// Bytes that a GPU receives.
	each := func(x row) float64 { // normal vertices with edges of a GPU
		return (*linked*x.number("vertices") - x.number("delegates")) / x.number("ranks")
	}
	received := func(p, normals, delegates float64) float64 {
		return (p - 1) / 8 * (gathersNormals*normals + gathersDelegates*delegates)
	}
	r2, rm := received(2, each(two), two.number("delegates")), received(m, each(most), most.number("delegates"))
	e2, em := two.number("exchange_ms"), most.number("exchange_ms")
	c, gbs := *call/1e3, *rate
	if gbs == 0 {
		gbs = (rm - r2) / (em - e2) / 1e6
	}
	if c == 0 {
		c = (em - rm/gbs/1e6) / *levels
	}
	if !(gbs > 0) || !(c > 0) {
		exit(fmt.Errorf("exchange took %.3f ms on two GPUs and %.3f on %.0f, which gives %.0f GB/s and calls of %.0f us: set -rate and -call", e2, em, m, gbs, 1e3*c))
	}
	push := 0.0 // ns of an nn edge that is pushed
	if a, b := options["pulls, nn edges pushed"], options["pulls"]; a != nil && b != nil {
		push = max(0, (a.number("median_ms")-b.number("median_ms"))*1e6/(b.number("nn_edges")/b.number("ranks")))
	}
	doubled := func(name string, p float64) float64 {
		return most.number(name) + math.Log2(p/m)*max(0, (most.number(name)-one.number(name))/math.Log2(m))
	}
	fmt.Printf("A call takes %.0f us, a GPU receives %.0f GB/s, an nn edge that is pushed takes %.2f ns.\n\n", 1e3*c, gbs, push)
	fmt.Println("| GPUs | edges, 1e9 | computation | waiting | calls | normal vertices | delegates | nn pushed | all, ms | T edges a second |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	for _, p := range []float64{m, 8, 128, 1024} {
		edges := most.number("directed_edges") / 2 * p / m
		calls := *levels * c
		delegates := most.number("delegates") * p / m
		normals := gathersNormals * (p - 1) * each(most) / 8 / gbs / 1e6
		united := gathersDelegates * (p - 1) * delegates / 8 / gbs / 1e6
		pushed := 0.0
		if machines := p / float64(*machine); machines > 1 {
			calls = *levels * (*call16 + (*call128-*call16)*math.Log2(machines/16)/3) / 1e3
			nn := most.number("nn_edges") / m
			normals = 4 * newShare * nn / *network / 1e6
			united = gathersDelegates * 2 * delegates / *fewer / 8 / *network / 1e6
			pushed = push * nn / 1e6
		}
		compute, waiting := doubled("computing_ms", p), doubled("counting_ms", p)
		total := compute + waiting + calls + normals + united + pushed
		fmt.Printf("| %.0f | %.1f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.1f |\n", p, edges/1e9, compute, waiting, calls, normals, united, pushed, total, edges/total/1e9)
	}
	fmt.Printf("\nMeasured on %.0f: %.2f ms.\n", m, most.number("median_ms"))
}
