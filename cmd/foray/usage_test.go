// This file holds the tests of wrong command lines: every message.

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestUsageErrors(t *testing.T) {
	for _, c := range []struct {
		args string
		want string // in the message, up to the hint
		see  string // the command that the hint names
	}{
		{"nope", `unknown command "nope"`, "foray"},
		{"bsf", `unknown command "bsf"; did you mean bfs?`, "foray"},
		{"K", `unknown command "../../testdata/karate.parquet"; if it is a graph, foray bfs ../../testdata/karate.parquet searches it`, "foray"},
		{"no.csv", `unknown command "no.csv"; if it is a graph, foray bfs no.csv searches it`, "foray"},
		{"gen:kron10", `unknown command "gen:kron10"; if it is a graph, foray bfs gen:kron10 searches it`, "foray"},
		{"bfs --sorce 1 K", "unknown flag: --sorce; did you mean --source?", "foray bfs"},
		{"bfs --part K", "unknown flag: --part; did you mean --partition-by?", "foray bfs"},
		{"bfs --vert K", "unknown flag: --vert; did you mean --vertex-as-of, --vertex-column, --vertex-id, --vertex-side, --vertex-snapshot or --vertices?", "foray bfs"},
		{"bfs -x K", "unknown shorthand flag: 'x' in -x", "foray bfs"},
		{"bench --trails 1 K", "unknown flag: --trails; did you mean --trials?", "foray bench"},
		{"convert --wieght w T D/x.csv", "unknown flag: --wieght; did you mean --weight?", "foray convert"},
		{"help nope", `unknown command "nope"`, "foray help"},
		{"--nope", "unknown flag: --nope", "foray"},
		{"bfs", "bfs needs a PATH", "foray bfs"},
		{"info", "info needs a PATH", "foray info"},
		{"bench", "bench needs a PATH", "foray bench"},
		{"convert a.el", "convert needs an IN and an OUT", "foray convert"},
		{"gen", "gen takes one SPEC", "foray gen"},
		{"gen a b", `gen takes one SPEC, not "b"`, "foray gen"},
		{"gen star:4", "gen needs -o FILE", "foray gen"},
		{"devices x", `devices takes no arguments, not "x"`, "foray devices"},
		{"version x", `version takes no arguments, not "x"`, "foray version"},
		{"bfs --nope K", "unknown flag: --nope", "foray bfs"},
		{"bfs K --source", "flag needs an argument: --source", "foray bfs"},
		{"bfs K --algo x", `invalid argument "x" for "--algo" flag: want auto, bfs or dobfs`, "foray bfs"},
		{"bfs K --strategy x", `invalid argument "x" for "--strategy" flag: want auto, queue, read or hybrid`, "foray bfs"},
		{"bfs K --order x", `invalid argument "x" for "--order" flag: want auto, degree or given`, "foray bfs"},
		{"bfs K --nulls x", `invalid argument "x" for "--nulls" flag: want error or skip`, "foray bfs"},
		{"bfs K --ids x", `invalid argument "x" for "--ids" flag: want auto, dense, int64, uint64, string or binary`, "foray bfs"},
		{"bfs K --input-format x", `invalid argument "x" for "--input-format" flag: want auto, parquet, arrow, feather, ipc, arrows, text, el, csv, tsv, mtx, gr, sg, wsg, bin, adj, metis, graph, jsonl or ndjson`, "foray bfs"},
		{"bfs K --memory-limit x", `invalid argument "x" for "--memory-limit" flag: "x" is not a size such as 512MB or 8GiB`, "foray bfs"},
		{"bfs K --workers -1", `invalid argument "-1" for "--workers" flag: want a number from 0 to 1073741824`, "foray bfs"},
		{"bfs K --depth-limit 1x", `invalid argument "1x" for "--depth-limit" flag: want a number from 0 to 1073741824`, "foray bfs"},
		{"bfs K --where src=", "bad condition: --where: wrong syntax: at byte 5: the end, where a value belongs", "foray bfs"},
		{"cc K --edges ../../testdata/karate.parquet;where=(src", "bad condition: --where: wrong syntax: at byte 5: ", "foray cc"},
		{"info K --column src --where src=)", "bad condition: --where: wrong syntax: at byte 5: ", "foray info"},
		{"convert K D/x.parquet --where src=1)", "bad condition: --where: wrong syntax: at byte 6: ", "foray convert"},
		{"bfs K --alpha x", `invalid argument "x" for "--alpha" flag`, "foray bfs"},
		{"bfs K --alpha 0", "--alpha and --beta must be greater than 0", "foray bfs"},
		{"bfs K --beta NaN", "--alpha and --beta must be greater than 0", "foray bfs"},
		{"bfs K --algo dobfs --strategy read", "--strategy is for --algo bfs", "foray bfs"},
		{"bfs K --algo bfs --beta 2", "--alpha and --beta are for --algo dobfs", "foray bfs"},
		{"bfs K --strategy read --alpha 2", "--strategy is for bfs, --alpha and --beta are for dobfs", "foray bfs"},
		{"bfs K --reached-only", "--reached-only needs -o", "foray bfs"},
		{"bfs K --paths", "--paths needs --target: the vertices that the paths lead to", "foray bfs"},
		{"bfs K --paths -o D/x.csv", "--paths needs --target: the vertices that the paths lead to", "foray bfs"},
		{"bfs K --paths -t 2", "--paths needs -o; -o - prints them", "foray bfs"},
		{"bfs K --paths -t 2 -o D/x --partition-by depth", "--partition-by is not for --paths", "foray bfs"},
		{"bfs K --partition-by depth", "--partition-by needs -o", "foray bfs"},
		{"bfs K --partition-by depth -o -", "--partition-by writes a directory, not to standard output; name one with -o", "foray bfs"},
		{"bfs K --partition-by E -o D/x", "--partition-by : choose depth, parent, vertex", "foray bfs"},
		{"bfs K --partition-by color -o D/x", "--partition-by color: choose depth, parent, vertex", "foray bfs"},
		{"bfs K --partition-by parent -o D/x", "--partition-by parent needs --parents", "foray bfs"},
		{"bfs K --partition-by depth -o D/x --format xls", "--format xls: there are parquet, arrow,", "foray bfs"},
		{"bfs K --overwrite -o D/x.csv", "--overwrite is for --partition-by; files are always replaced", "foray bfs"},
		{"bfs K --format csv", "--format and --compression are for -o", "foray bfs"},
		{"bfs K --compression zstd", "--format and --compression are for -o", "foray bfs"},
		{"bfs K -o D/x", `x: the name doesn't determine the format; end it in one of .parquet, .arrow, .feather, .ipc, .arrows, .csv, .jsonl, .ndjson; or give --format: parquet, arrow, feather, ipc, arrows, csv, jsonl or ndjson`, "foray bfs"},
		{"bfs K -o D/x.xls", `x.xls: .xls isn't written; there are .parquet, .arrow, .feather, .ipc, .arrows, .csv, .jsonl, .ndjson`, "foray bfs"},
		{"bfs K -o D/x.csv.gz", `x.csv.gz: compressed text isn't written; write .parquet, which is compressed inside, or -o - | gzip`, "foray bfs"},
		{"bfs K -o D/x.csv --format x", `--format x: there are parquet, arrow, feather, ipc, arrows, csv, jsonl or ndjson`, "foray bfs"},
		{"bfs K -o E", "the name of a file to write is empty; omit -o or --plot", "foray bfs"},
		{"bfs K --plot E", "the name of a file to write is empty; omit -o or --plot", "foray bfs"},
		{"bfs E", "a PATH is empty", "foray bfs"},
		{"info K E", "a PATH is empty", "foray info"},
		{"convert K E", "OUT is empty: name a file, or - for standard output", "foray convert"},
		{"convert K -o D/x.csv", "convert has no -o: the last argument is OUT", "foray convert"},
		{"convert K --output D/x.csv", "convert has no -o: the last argument is OUT", "foray convert"},
		{"convert K D/x", "or give --format", "foray convert"},
		{"bfs T --nulls skip", "--nulls skip is for Parquet, Arrow, GraphAr and columns of the edges; in text every line needs its ids", "foray bfs"},
		{"convert gen:star:4 D/x.parquet --weight w", "--weight is for files that have columns with names: Parquet, Arrow, GraphAr, and text with a header", "foray convert"},
		{"bfs K --header true", "--header is for text", "foray bfs"},
		{"bfs K --separator tab", "--separator is for text", "foray bfs"},
		{"bfs T --separator 7", "want one character that isn't part of a number", "foray bfs"},
		{"bfs T --separator ab", "want one character", "foray bfs"},
		{"bfs T --header false --src a", "--src, --dst and --weight name columns by the header; leave out --header false", "foray bfs"},
		{"bfs K --ragged", "--ragged is for text", "foray bfs"},
		{"bfs K --device tpu", `device "tpu": unknown device (auto, host, cuda, cuda:N, several as in cuda:0,cuda:1, all); foray devices lists what there is`, "foray bfs"},
		{"bfs K --device host:3", `device "host:3": unknown device`, "foray bfs"},
		{"bench K --device tpu", `device "tpu": unknown device`, "foray bench"},
		{"gen kron10,seed=x -o D/x.csv", "options stand behind a colon: kron10:seed=x", "foray gen"},
		{"bfs K -o D/x.csv --compression gzip", "--compression gzip: csv takes none", "foray bfs"},
		{"bfs K -o D/x.arrow --compression gzip", "--compression gzip: arrow takes zstd, lz4 or none", "foray bfs"},
		{"bfs K -o D/x.parquet --compression lz4", "--compression lz4: parquet takes zstd, snappy, gzip, brotli or none", "foray bfs"},
		{"bfs K --plot D/x.jpg", "x.jpg: the name must end in .svg or .png", "foray bfs"},
		{"bfs K --ids string", "--ids string is for text; other files say themselves what their ids are", "foray bfs"},
		{"bfs gen:star:4 --ids int64", "--ids int64 is for text", "foray bfs"},
		{"bfs gen:star:4 --src a", "--src and --dst are for files that have columns with names: Parquet, Arrow, and text with a header", "foray bfs"},
		{"bfs gen:nope", `spec "nope": no graph "nope"; there are kronS`, "foray gen"},
		{"bfs gen:kron40", `spec "kron40": bad size`, "foray gen"},
		{"gen kron10:a=2,b=0,c=0 -o D/x.csv", `spec "kron10:a=2,b=0,c=0": bad parameter`, "foray gen"},
		{"gen star:4 --seed 1 -o D/x.csv", `star has no option "seed"`, "foray gen"},
		{"gen kron4:seed=1 --seed 1 -o D/x.csv", "seed is given twice", "foray gen"},
		{"gen star:4 -o D/x.gr", "x.gr: DIMACS, METIS and compressed JSON lines are read but not written; there are .parquet, .arrow, .feather, .ipc, .arrows, .csv, .jsonl, .ndjson; .el, .wel, .tsv, ", "foray gen"},
		{"gen star:4 -o D/x.gr", "x.gr: DIMACS, METIS and compressed JSON lines are read but not written", "foray gen"},
		{"gen star:4 -o D/x.xls", `x.xls: .xls isn't written; there are .parquet, .arrow, .feather, .ipc, .arrows, .csv, .jsonl, .ndjson; .el, .wel, .tsv, .txt, .edges, .edgelist (text, also with .gz or .zst), .sg, .wsg (GAP)`, "foray gen"},
		{"convert K D/x.xls", `x.xls: .xls isn't written; there are .parquet, .arrow, .feather, .ipc, .arrows, .csv, .jsonl, .ndjson; .el, .wel, .tsv, .txt, .edges, .edgelist (text, also with .gz or .zst), .sg, .wsg (GAP)`, "foray convert"},
		{"gen star:4 -o D/x.wel", "gen:star:4: these edges have no weights, which .wel, .wsg and --weights of convert are for: generate some, foray gen --weights 1:100, or as a PATH gen:star:4,weights=1:100", "foray gen"},
		{"gen star:4 -o D/x.WEL.gz", "gen:star:4: these edges have no weights", "foray gen"},
		{"gen star:4 -o D/x.wsg", "gen:star:4: these edges have no weights", "foray gen"},
		{"convert K gen:star:4 D/x.wel.zst", "gen:star:4: these edges have no weights", "foray convert"},
		{"convert gen:star:4 D/x.parquet --weights", "gen:star:4: these edges have no weights", "foray convert"},
		{"convert gen:star:4 D/x.parquet --simple --weights", "gen:star:4: these edges have no weights", "foray convert"},
		{"gen star:4 -o D/x.el --compression zstd", "--compression is for parquet and arrow; text is compressed if its name ends in .gz or .zst", "foray gen"},
		{"convert T D/x.csv --vertex-numbers", "--vertex-numbers is for text, .mtx, .sg, .bin and .adj", "foray convert"},
		{"bench K --algo x", `--algo: want auto, bfs, dobfs or seq, or else sssp, cc, kcore, triangles, pagerank, bc, closeness, lpa, louvain, leiden, degree, eigenvector, hits, katz, topo, mis, color, similar, msf, spanning, walks, paths, bridges, ktruss or kclique, not "x"`, "foray bench"},
		{"bench K --algo auto,bfs", "--algo auto stands alone", "foray bench"},
		{"bench K --algo E", "--algo: want auto, bfs, dobfs or seq", "foray bench"},
		{"bench K --algo dobfs --strategy read", "--strategy is for --algo bfs", "foray bench"},
		{"bench K --algo seq,dobfs --strategy read", "--strategy is for --algo bfs", "foray bench"},
		{"bench K --strategy read --alpha 4", "--strategy is for bfs, --alpha and --beta are for dobfs", "foray bench"},
		{"bench K --coupling two-phase --beta 4", "--coupling two-phase is for bfs, --alpha and --beta are for dobfs", "foray bench"},
		{"bench K --algo bfs --alpha 4", "--alpha and --beta are for --algo dobfs", "foray bench"},
		{"bench K --algo seq,bfs --beta 4", "--alpha and --beta are for --algo dobfs", "foray bench"},
		{"bench K --algo bfs,dobfs --coupling two-phase", "--coupling two-phase is for --algo bfs; dobfs takes auto, fused and expand-contract", "foray bench"},
		{"bench K --strategy hybrid --depths=false --device host", "bad option: strategy hybrid needs depths", "foray bench"},
		{"bench K gen:nope", `spec "nope": no graph "nope"`, "foray gen"},
		{"bench K E", "a PATH is empty", "foray bench"},
		{"bench K --strategy x", `--strategy: want auto, queue, read or hybrid, not "x"`, "foray bench"},
		{"bench K --coupling nonsense", `--coupling: want auto, expand-contract, contract-expand, two-phase, hybrid, fused, quadratic or quadratic-pull, not "nonsense"`, "foray bench"},
		{"bench K --balance zz --culls qq", `--balance: want auto, thread, warp, twc, merge, edges, hubs, buckets or scan, not "zz"`, "foray bench"},
		{"bench K --algo seq --culls exact+qq", `--culls: want auto, or some of bitmask, label, warp, history and exact, joined by +, not "exact+qq"`, "foray bench"},
		{"bench K --algo bfs --coupling E", "--coupling: want auto, expand-contract,", "foray bench"},
		{"bench K --algo bfs --coupling auto,two-phase --device host", "--coupling, --balance and --culls are for GPUs; the device is host", "foray bench"},
		{"bench K --algo bfs --balance twc --device host", "--coupling, --balance and --culls are for GPUs; the device is host", "foray bench"},
		{"bench K --algo bfs,dobfs --culls exact --device host", "--coupling, --balance and --culls are for GPUs; the device is host", "foray bench"},
		{"bench K --balance twc --device host", "--coupling, --balance and --culls are for GPUs; the device is host", "foray bench"},
		{"bench K --algo dobfs,seq --culls exact", "--balance and --culls are for --algo bfs", "foray bench"},
		{"bench K --coupling fused --device host", "--coupling, --balance and --culls are for GPUs; the device is host", "foray bench"},
		{"bench K --algo seq --coupling fused", "--coupling is for --algo bfs and dobfs", "foray bench"},
		{"bench K --algo dobfs --coupling two-phase", "--coupling two-phase is for --algo bfs; dobfs takes auto, fused and expand-contract", "foray bench"},
		{"bench K --algo dobfs,seq --coupling fused,hybrid", "--coupling hybrid is for --algo bfs; dobfs takes auto, fused and expand-contract", "foray bench"},
		{"bench K --sources 0", "--sources and --trials must be at least 1", "foray bench"},
		{"bench K --trials 0", "--sources and --trials must be at least 1", "foray bench"},
		{"bench K --beta -1", "--alpha and --beta must be greater than 0", "foray bench"},
		{"bench K --algo seq --parents", "bad option: seq finds depths, neither more nor less", "foray bench"},
		{"bench K --algo bfs --strategy read --depths=false --device host", "bad option: strategy read needs depths", "foray bench"},
		{"bench K --depths=false --given-order", "bad option: without depths and parents there is nothing to put into the given order", "foray bench"},
	} {
		dir := t.TempDir()
		out, errs := foray(t, 2, arguments(t, c.args, dir)...)
		if out != "" || !strings.HasPrefix(errs, "foray: ") || strings.Count(errs, "\n") != 1 {
			t.Errorf("foray %s:\n%s%s", c.args, out, errs)
		}
		contains(t, errs, c.want, " (see "+c.see+" --help)\n")
		empty(t, dir)
	}
}

// arguments makes arguments of a line in which K stands for the karate club, T for a
// text file, E for an empty argument, and D for a directory.
func arguments(t *testing.T, s, dir string) []string {
	var args []string
	for _, a := range strings.Fields(s) {
		switch {
		case a == "K":
			a = karate
		case a == "E":
			a = ""
		case a == "T":
			a = write(t, "t.el", "0 1\n1 2\n")
		case strings.HasPrefix(a, "D/"):
			a = filepath.Join(dir, a[2:])
		}
		args = append(args, a)
	}
	return args
}
