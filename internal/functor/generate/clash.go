// This file holds the names that the generated file and the package can't both have.

package generate

import (
	"cmp"
	"fmt"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/foray-graph/foray/internal/functor/generate/source"
)

// clashes finds what the package declares and the generated file declares, imports or uses as
// Go's own, such as uint32. Otherwise the compiler would complain about the generated file.
func clashes(text []byte, declared map[string]token.Position) (errs Errors, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, source.FileName, text, 0)
	if err != nil {
		return nil, err
	}
	note := func(name, why string) {
		if pos, ok := declared[name]; ok {
			errs = append(errs, &source.Error{Pos: pos, Text: fmt.Sprintf("%s is what %s %s; give it another name", name, source.FileName, why)})
		}
	}
	names := map[string]bool{}
	for name := range f.Scope.Objects {
		note(name, "declares")
		names[name] = true
	}
	for _, i := range f.Imports {
		name := path.Base(strings.Trim(i.Path.Value, `"`))
		note(name, "imports")
		names[name] = true
	}
	for _, id := range f.Unresolved {
		if !names[id.Name] {
			note(id.Name, "uses as Go declares it")
			names[id.Name] = true
		}
	}
	slices.SortFunc(errs, func(a, b *source.Error) int {
		return cmp.Or(strings.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Offset, b.Pos.Offset))
	})
	return errs, nil
}
