// This file puts errors in terms of the options.

package main

import "strings"

// optionNames puts options of the packages in terms of those of the library. At each place of a text the
// first that fits is replaced.
var optionNames = strings.NewReplacer(
	"bad option: bfs: graph: bad option: ", "bad option: ", "bad option: dobfs: graph: bad option: ", "bad option: ",
	": graph: ", ": ", ": arrow: ", ": ", ": cdata: ", ": ",
	"set Options.SkipNulls to leave such edges out", `"nulls": "skip" leaves such edges out`,
	"Options.Vertices.ID", `option "vertex_id"`, "Options.Vertices.Properties", `option "properties"`,
	"Options.Where", `option "where"`, "Options.Source", `option "src"`, "Options.Target", `option "dst"`,
	"Options.MemoryLimit", `option "memory_limit"`, "Options.Workers", `option "workers"`,
	"Options.Weights", `option "weight"`, "Options.Weight", `option "weight"`,
)

// prefixes say which package an error comes from.
var prefixes = []string{"arrow: ", "graph: ", "bfs: ", "dobfs: ", "cdata: "}

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
	return strings.ReplaceAll(optionNames.Replace(s), "\x00", `\x00`)
}
