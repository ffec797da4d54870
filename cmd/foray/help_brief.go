// This file holds the flags that the short help has, a line each.

package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// brief returns the line of a flag in the short help of a command, or "" if only the full help has the flag. The
// line of one command (briefOf) comes before the line of all commands (briefs).
func brief(cmd *cobra.Command, f *pflag.Flag) string {
	name := strings.TrimPrefix(cmd.CommandPath(), "foray ") + " " + f.Name
	if what, ok := briefOf[name]; ok {
		return what
	}
	return briefs[f.Name]
}

// briefs are flags that mean the same in all commands.
var briefs = map[string]string{
	"source":       "vertex to start from (default: the largest degree)",
	"target":       "end once this vertex is reached; may be repeated",
	"sources-from": "search from each id of a table, one at a time",
	"depth-limit":  "end after N levels; 0: no limit",
	"parents":      "find the parent of every vertex too",
	"algo":         "bfs, dobfs, or auto for the better one (default auto)",
	"validate":     "check the result",
	"sources":      "number of random vertices to search from",
	"trials":       "how often each source is timed (default 3)",
	"no-check":     "don't check the searches",

	"src":          "column of the edges' sources (default src)",
	"dst":          "column of the edges' targets (default dst)",
	"weight":       "column of the weights (default weight)",
	"edge-where":   "run on edges that meet it, as in \"kind = 'a'\"",
	"where":        "only edges that meet it, as in \"amount > 9\"",
	"directed":     "edges are directed",
	"vertices":     "table of vertices, with or without edges",
	"output":       "write the result to FILE; - is standard output",
	"format":       "parquet, arrow, csv, jsonl (default by FILE)",
	"reached-only": "leave out vertices that have no value",
	"sort":         "none, or id: order of rows (default none)",
	"plot":         "draw the frontier by level, as .svg or .png",
	"paths":        "write the paths to the --target vertices",
	"json":         "print the result as JSON (foray help json)",
	"device":       "host, cuda:0 or others (default auto)",
	"workers":      "threads (default 0: one per CPU)",
	"simple":       "drop self-loops and repeated edges",
	"weights":      "keep the weights of edges",
	"rivals":       "lay figures of other systems beside ours",
	"quiet":        "print errors only",
	"verbose":      "log each step to standard error",
	"help":         "show this help",
	"help-all":     "show all flags and the details",
}

// briefOf are flags of single commands, by the command and the flag.
var briefOf = map[string]string{
	"bfs reached-only": "", "bfs sort": "", "bfs format": "",
	"sssp sort": "", "sssp format": "", "sssp reached-only": "", "sssp sources-from": "", "sssp validate": "",
	"bc sort": "", "bc vertices": "", "closeness sort": "", "pagerank sort": "", "pagerank format": "", "pagerank validate": "",
	"sssp limit": "leave out vertices farther than this",
	"cc strong":  "find strongly connected components",
	"kcore k":    "the core that --graph-out writes", "kcore graph-out": "write the edges of the core of --k", "kcore weight": "",
	"triangles count-only": "find only the total, in half the time",
	"pagerank damping":     "chance to follow an edge (default 0.85)",
	"pagerank tolerance":   "end once ranks change by less (default 1e-06)",
	"pagerank iterations":  "at most N rounds (default 100)",
	"pagerank weighted":    "follow edges in proportion to their weights", "pagerank personalization": "column of --vertices: where walkers jump to",
	"pagerank start": "begin with the ranks in FILE", "pagerank jump-to": "vertices that walkers jump to", "pagerank decay": "half-life of the weights of edges, as in 30d", "pagerank time": "",
	"bc source": "a source of paths (default all vertices)", "bc samples": "use K random vertices as sources", "bc seed": "random seed of --samples",
	"bc edges": "find that of edges", "bc weighted": "paths are as long as their weights", "bc weight": "",
	"bc unnormalized":  "sum over pairs instead of dividing by their number",
	"closeness source": "vertex to find values for (default all)", "closeness samples": "find bounds by N searches; 0: exact values",
	"lpa iterations":   "at most N rounds (default 10)",
	"degree direction": "edges that count: in, out or both (default both)", "degree weighted": "add up the weights too",
	"eigenvector tolerance": "end once values change by less (default 1e-06)", "eigenvector iterations": "at most N rounds (default 100)", "eigenvector weighted": "multiply by the weights of edges",
	"hits tolerance": "end once hubs change by less (default 1e-08)", "hits iterations": "at most N rounds (default 100)", "hits weighted": "multiply by the weights of edges",
	"katz tolerance": "end once values change by less (default 1e-06)", "katz iterations": "at most N rounds (default 1000)", "katz weighted": "multiply by the weights of edges",
	"katz alpha": "what an edge multiplies by (default 0.1)", "katz beta": "the constant that each vertex gets (default 1)",
	"color seed": "random seed (default 0)", "color largest-first": "color vertices of larger degree first",
	"mis seed":       "random seed (default 0)",
	"bridges points": "write a row for each vertex",
	"ktruss k":       "write the edges of one truss", "kclique k": "count cliques of K vertices (default all sizes)", "kclique count-only": "with --k: count in total only",
	"msf maximum":        "find the forest of the largest weight",
	"louvain resolution": "more find more, smaller communities (default 1)", "louvain seed": "random seed (default 0)", "louvain levels": "also write those of each level",
	"louvain initial": "column of a prepared graph to begin with", "louvain weighted": "count the weights of edges",
	"leiden resolution": "more find more, smaller communities (default 1)", "leiden seed": "random seed (default 0)", "leiden levels": "also write those of each level",
	"leiden initial": "column of a prepared graph to begin with", "leiden weighted": "count the weights of edges",
	"similar measure": "jaccard, overlap, cosine or adamic-adar", "similar top": "similar vertices of each (default 10)", "similar source": "vertex to find similar ones of (default all)",
	"similar samples": "find those of N random vertices", "similar seed": "", "similar weighted": "take the cosine of weights",
	"similar pairs": "a table of pairs: find their similarity", "similar sources-from": "", "similar sort": "",
	"walks length": "steps of a walk (default 80)", "walks count": "walks from each start (default 1)", "walks source": "vertex to start at (default all)", "walks seed": "",
	"walks p": "node2vec: divide the way back by P (default 1)", "walks q": "node2vec: divide the way out by Q (default 1)", "walks weighted": "choose edges by their weights",
	"walks sources-from": "", "walks sort": "",
	"paths source": "vertex that paths begin at", "paths target": "vertex that paths lead to", "paths samples": "", "paths seed": "",
	"paths top": "shortest paths of each pair (default 1)", "paths shortest": "find all paths of the least length", "paths limit": "", "paths weighted": "add up the weights of edges",
	"paths coordinates": "", "paths metric": "", "paths scale": "", "paths pairs": "a table of pairs", "paths sort": "",
	"topo weighted": "also find the heaviest paths, by weight",

	"run do": "algorithms to run, as in cc,bfs:42", "run output": "write the results to files in DIR",
	"run vertices": "", "run weight": "column of the weights, for those that use them",
	"bench algo": "bfs, dobfs, seq, or others such as cc", "bench sources": "number of sources (default 16)", "bench seed": "seed of the random sources (default 1)",
	"bench strategy": "strategies of bfs on the host, each measured", "bench vertices": "", "bench where": "", "bench edge-where": "", "bench plot": "draw the figures of --rivals and ours, as .svg",
	"bench weight":  "",
	"report source": "vertex to search from (default random ones)", "report sources": "number of random sources (default 3)",
	"report seed": "seed of the random sources (default 1)", "report output": "write the page to FILE.html",
	"info column":       "describe this column instead of the graph",
	"bench paper scale": "small, medium or paper (default small)", "bench paper graph": "measure this graph alone; NAME=PATH is a file",
	"bench paper real": "also measure the graphs in DIR", "bench paper sources": "vertices to search from (default 4)",
	"bench paper output": "directory of the report", "bench paper resume": "continue an interrupted run",
	"bench compare threshold": "fail if slower by more than this, as in 5%",

	"gen seed": "selects one of 2^64 graphs (default 0)", "gen weights": "random weights, as in 1:100",
	"gen output": "write the edges to FILE, whose name says the format", "gen directed": "with --simple, .sg, .bin and others: edges are directed",
	"gen reverse":         ".foray: keep the reverse too (default true)",
	"convert compression": "zstd, snappy, gzip, brotli, lz4 or none", "convert input-format": "format of IN, if its name doesn't say it",
	"convert ids":    "type of ids: dense, int64, string (default auto)",
	"convert weight": "keep weights from this column", "convert edge-id": "keep ids of edges from this column", "convert reverse": ".foray: keep the reverse too (default true)",
	"convert edge-columns": ".foray: keep these columns of the edges", "convert vertex-columns": ".foray: keep these columns of --vertices", "convert merge": "which repeated edge stays, as in least:COLUMN",
	"convert vertex-numbers": "write vertex numbers from 0 as ids",
	"append since":           "only rows added after SNAPSHOT, or last", "append weight": "column of the weights (default weight)", "append edge-id": "ids of new edges from this column",
	"append output": "write another file (default GRAPH)", "append remove": "remove the edges", "append remove-vertices": "remove the vertices of a table, with their edges",
	"generate check": "write nothing; fail if a file is out of date", "generate dump": "print the translation instead",
	"completion no-descriptions": "complete names without descriptions",
}
