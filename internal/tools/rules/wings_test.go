// This file holds the rule on wings: internal/ is divided into a few folders, each with one purpose, and each
// names the others that it may import.

package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// wings has the folders of internal/, and which other ones their packages import. Those below
// algos/internal and io/arrow/internal belong to their public packages and aren't in it.
var wings = map[string]string{
	"text":        "",                                                   // numbers, names and limits in messages, build information
	"calls":       "",                                                   // contexts and panics of calls
	"osmem":       "",                                                   // memory of the operating system
	"discrete":    "",                                                   // transfers to devices whose memory the host can't address
	"linked":      "",                                                   // parts of the library that a program links by an import
	"files":       "calls linked text",                                  // local files, stores, locations
	"gpu":         "calls discrete linked text",                         // driver, streams, images, several GPUs
	"host":        "calls osmem",                                        // the CPU as a device
	"functor":     "discrete engine files gpu",                          // from Go to both devices
	"engine":      "calls discrete functor gpu host layout linked text", // the runtime of traversals
	"layout":      "calls discrete engine gpu host osmem text",          // rows made on a device
	"cluster":     "calls discrete engine gpu host layout osmem text",   // searches over processes
	"oracle":      "calls",                                              // algorithms as they are defined
	"page":        "",                                                   // reports as one page of HTML
	"paper":       "cluster engine gpu oracle page text",                // foray bench paper, which also measures searches over ranks
	"graphreport": "page text",                                          // foray report
	"tools":       "functor gpu testing",                                // commands and checks for developers
	"testing":     "discrete engine functor gpu host layout",            // support of tests
}

// wingOf returns the wing of a folder, or "".
func wingOf(folder string) string {
	name, ok := strings.CutPrefix(folder, "internal/")
	if !ok {
		return ""
	}
	wing, _, _ := strings.Cut(name, "/")
	return wing
}

// badWings names the imports that lead from a wing to one that it doesn't name, and those of tests' support.
func badWings(t *tree) (offenses []string) {
	add := func(format string, args ...any) { offenses = append(offenses, fmt.Sprintf(format, args...)) }
	for _, folder := range t.folders() {
		wing := wingOf(folder)
		if _, ok := wings[wing]; wing != "" && !ok {
			add("%s: internal/ has no wing %s; the wings are %s", folder, wing, strings.Join(slices.Sorted(maps.Keys(wings)), ", "))
			continue
		}
		helper := slices.Contains(helpers, folder)
		for _, s := range t.packages[folder] {
			for _, i := range s.Imports {
				to, ours := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), module+"/")
				other := wingOf(to)
				switch {
				case !ours || other == "" || other == wing || s.test || helper:
				case other == "testing" && wing != "tools" && wing != "testing" && !(folder == "bench" && slices.Contains(measured, to)):
					add("%s: %s imports %s, which is for tests", t.at(i), folder, to)
				case wing != "" && !slices.Contains(strings.Fields(wings[wing]), other):
					add("%s: %s imports %s: the wing %s doesn't import %s (internal/tools/rules/wings_test.go)", t.at(i), folder, to, wing, other)
				}
			}
		}
	}
	return offenses
}

// measured is the support of tests that the benchmark of operators measures with, too.
var measured = []string{"internal/testing/functors", "internal/testing/functors/byhand", "internal/testing/functors/compared", "internal/testing/functors/composed", "internal/testing/depthcheck"}

func TestWings(t *testing.T) { keep(t, badWings) }

func TestWingsBroken(t *testing.T) {
	file := func(to string) string { return "package p\nimport _ \"" + module + "/" + to + "\"\n" }
	broken(t, badWings, map[string]string{
		"internal/engine/run/a.go":          file("internal/gpu/driver"),
		"internal/files/s3/a_test.go":       file("internal/testing/tests3"),
		"internal/testing/conformance/a.go": file("internal/testing/graphs"),
		"bench/a.go":                        file("internal/testing/depthcheck"),
	})
	for name, c := range map[string]struct{ file, to, want string }{
		"upwards":   {"internal/gpu/a.go", "internal/engine/run", "the wing gpu doesn't import engine"},
		"tests":     {"graph/a.go", "internal/testing/testgraph", "graph imports internal/testing/testgraph, which is for tests"},
		"benchmark": {"bench/a.go", "internal/testing/testgraph", "which is for tests"},
		"unknown":   {"internal/misc/a.go", "graph", "internal/ has no wing misc"},
	} {
		t.Run(name, func(t *testing.T) { broken(t, badWings, map[string]string{c.file: file(c.to)}, c.want) })
	}
}
