// This file puts errors in terms of the options.

package main

import (
	"regexp"
	"strings"
)

// longest is the most bytes of the text of an error: ids in it may be of any length.
const longest = 16 << 10

// optionNames puts options of the packages in terms of those of the library. At each place of a text the
// first that fits is replaced.
var optionNames = strings.NewReplacer(
	"bad option: bfs: graph: bad option: ", "bad option: ", "bad option: dobfs: graph: bad option: ", "bad option: ",
	": graph: ", ": ", ": arrow: ", ": ", ": cdata: ", ": ",
	"set Options.SkipNulls to leave such edges out", `"nulls": "skip" leaves such edges out`,
	"Options.Vertices.ID", `option "vertex_id"`, "Options.Vertices.Properties", `option "properties"`,
	"Options.Where", `option "where"`, "Options.Source", `option "src"`, "Options.Target", `option "dst"`,
	"Options.MemoryLimit", `option "memory_limit"`, "Options.Workers", `option "workers"`,
	"set Options.Limit, or load the weights as floats (graph.Options.WeightType)", `set option "limit", or give the weights as floats`,
	"Options.DepthLimit", `option "depth_limit"`, "Options.Weights", `option "weight"`, "Options.Weight", `option "weight"`,
	"want 1 or more, or 0 for 10", "want 1 or more", "want 1 to 2147483647, or 0 for 100", "want 1 to 2147483647",
	": DepthLimit is", `: option "depth_limit" is`, ": Damping is", `: option "damping" is`, ": Tolerance is", `: option "tolerance" is`, ": Iterations is", `: option "iterations" is`,
	": Limit is", `: option "limit" is`, ": Delta is", `: option "delta" is`, ": Lanes is", `: option "lanes" is`,
	": Decay.HalfLife is", `: option "decay" is`, ": Decay.Reference is", `: option "reference" is`, "Decay.Column: ", `option "time": `, ": Start is", `: option "start" is`, ": Samples is", `: option "samples" is`, ": Personalization is", `: option "personalization" is`, "leave it nil", "leave it out",
	": K is", `: option "top" is`, ": Count is", `: option "count" is`, ": Length is", `: option "length" is`, ": P is", `: option "p" is`, ": Q is", `: option "q" is`,
	"Pairs don't go with K and Sources", `option "pairs" doesn't go with "top" and "source"`, ": Weighted is for Cosine", `: option "weighted" is for "cosine"`, "Options.Initial", `option "initial"`,
)

// otherWays is about ways to build a graph that need a file.
var otherWays = regexp.MustCompile(`; even TwoPass( with OrderGiven)? needs [0-9.]+ \w+`)

// prefixes say which package an error comes from.
var prefixes = []string{"arrow: ", "graph: ", "bfs: ", "dobfs: ", "cdata: ", "closeness: ", "bc: ", "lpa: ", "degree: ", "eigenvector: ", "hits: ", "katz: ", "pagerank: ", "paths: ", "similar: ", "sssp: ", "walks: "}

// errorText is an error for the caller.
func errorText(err error) string {
	s := err.Error()
	for again := true; again; {
		again = false
		for _, p := range prefixes {
			if rest, ok := strings.CutPrefix(s, p); ok {
				s, again = rest, true
			}
		}
	}
	s = strings.ReplaceAll(optionNames.Replace(otherWays.ReplaceAllString(s, "")), "\x00", `\x00`)
	if len(s) > longest {
		s = s[:longest] + "..."
	}
	return strings.ToValidUTF8(s, "\ufffd")
}
