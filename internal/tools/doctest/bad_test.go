// This file tests that what is wrong with a document is found, and where.

package doctest

import (
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

func TestBad(t *testing.T) {
	testlong.Project(t)
	const fence = "```"
	for name, c := range map[string]struct{ page, want string }{
		"unknown name": {"x\n\n" + fence + "go\nv, err := g.Vertex(1)\nfmt.Println(v, err, g.Edges())\n" + fence,
			"x.md:5: g.Edges undefined"},
		"wrong type": {fence + "go\nt.Repeat(cur, traverse.MaxRounds(\"2\"))\n" + fence, "x.md:2:"},
		"declared later": {fence + "go\nfmt.Println(late)\n" + fence + "\n" + fence + "go\nlate := 1\n" + fence,
			"x.md:2: undefined: late"},
		"no Go":           {fence + "go\nif {\n" + fence, "x.md:2:"},
		"unused import":   {fence + "go\npackage main\n\nimport \"fmt\"\n\nfunc main() {}\n" + fence, `x.md:4: "fmt" imported and not used`},
		"other output":    {fence + "go\npackage main\n\nfunc main() { print(); println() }\n" + fence + "\n\n" + fence + "text\n2\n" + fence, "x.md:8: another output"},
		"failing program": {fence + "go\npackage main\n\nfunc main() { panic(7) }\n" + fence, "x.md:2:"},
		"unknown flag":    {fence + "sh\n# a comment\nforay bfs testdata/karate.parquet --sauce 1\n" + fence, "x.md:3:"},
		"unknown flag of what isn't run": {"<!-- parse: it needs a store -->\n" + fence + "sh\nforay bfs s3://a/b \\\n  --source 1\nforay bfs s3://a/b --sauce 1\n" + fence,
			"x.md:5:"},
		"unknown command": {fence + "sh\nrm -r lake\n" + fence, "x.md:2: a command that nothing checks: rm -r lake"},
		"another file":    {"<!-- from: examples/khop/khop.go -->\n" + fence + "go\nfunc Run() {}\n" + fence, "x.md:3: it isn't a part of examples/khop/khop.go"},
		"sink without found": {fence + "cuda\n#include \"operators/advance/entries.cuh\"\nstruct S {\n};\nFORAY_PULL(s, S)\n" + fence,
			"no member named"},
		"fence":          {"a\n" + fence + "rust\nint x;\n" + fence, `x.md:2: a code block of "rust"`},
		"C":              {"a\n" + fence + "c\nint x;\n" + fence, "x.md:3: c that nothing compiles"},
		"mark":           {"<!-- form: a.go -->\n" + fence + "go\n" + fence, "x.md:1: a comment that says none of"},
		"mark of a text": {"<!-- from: a.go -->\nText.\n", "x.md:2: text between"},
		"no end":         {fence + "go\nx := 1\n", "x.md:1: a code block without an end"},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := markdown("x.md", c.page)
			found := []error{err}
			if err == nil {
				found = problems(t, all)
			}
			for _, err := range found {
				if strings.Contains(err.Error(), c.want) {
					return
				}
			}
			t.Errorf("found %v, want %q", found, c.want)
		})
	}
}

func TestBadLinks(t *testing.T) {
	page := "# A page\n[here](#a-page) [there](docs/search.md#in-go) [web](https://example.org)\n[a](#b) [c](docs/none.md) [d](docs/search.md#none)\n"
	if got := strings.Join(links(t, "README.md", page), " "); got != "#b docs/none.md docs/search.md#none" {
		t.Errorf("links that lead nowhere: %q", got)
	}
	if got := strings.Join(unknown("`traverse/engine.cuh`, `traverse/none.cuh`, `FusedState`, `NoSuchNameAnywhere`"), " "); got != "traverse/none.cuh NoSuchNameAnywhere" {
		t.Errorf("unknown names: %q", got)
	}
}
