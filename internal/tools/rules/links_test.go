// This file holds the rule on what no package of the module links.

package rules

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unlinked are packages, by how their paths begin, that neither the library nor
// a command links. Tests may.
var unlinked = []struct{ prefix, why string }{
	{"google.golang.org/grpc", "Foray needs no gRPC"},
	{"github.com/apache/arrow/go/v15/parquet", "its symbols are those of the Parquet package of Arrow for Go v18: " +
		"a program with both doesn't link. io/arrow/internal/parquet reads Parquet, and io/arrow writes it"},
	{"github.com/JohnCGriffin/overflow", "it has no license"},
}

// linked names the packages that mustn't be linked and are.
func linked(packages []string) (offenses []string) {
	for _, p := range packages {
		for _, u := range unlinked {
			if p == u.prefix || strings.HasPrefix(p, u.prefix+"/") {
				offenses = append(offenses, fmt.Sprintf("a package outside tests links %s; %s (see who: go list -deps, go mod why)", p, u.why))
			}
		}
	}
	return offenses
}

func TestLinks(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	ours := slices.DeleteFunc(goTool(t, root, "list", "./..."), func(p string) bool {
		return slices.Contains(helpers, strings.TrimPrefix(p, module+"/"))
	})
	packages := goTool(t, root, append([]string{"list", "-deps"}, ours...)...)
	if len(packages) < 100 {
		t.Fatalf("%d packages", len(packages))
	}
	for _, offense := range linked(packages) {
		t.Error(offense)
	}
}

func TestLinksBroken(t *testing.T) {
	found := linked([]string{"github.com/apache/arrow/go/v15/parquet/file", "github.com/apache/arrow/go/v15/arrow", "github.com/JohnCGriffin/overflow", "google.golang.org/grpcx"})
	if len(found) != 2 || !strings.Contains(found[0], "links github.com/apache/arrow/go/v15/parquet/file; its symbols") {
		t.Errorf("offenses %q", found)
	}
}
