// This file holds the format whose reader is linked by an import.

package tables

import (
	"context"
	"strings"

	"github.com/foray-graph/foray/internal/linked"
)

// Opener reads the snapshot of the table at a path that At means.
type Opener func(ctx context.Context, files FS, path string, at At) (*Snapshot, error)

// Iceberg opens tables of Apache Iceberg. Package iceberg registers it.
var Iceberg = linked.Part[Opener]{Name: "the reader of Apache Iceberg", Import: "github.com/foray-graph/foray/io/arrow/iceberg"}

const catalogScheme = "iceberg://"

// InCatalog reports whether a path names a table of a catalog:
//
//	iceberg://HOST[:PORT][/BASE...]/NAMESPACE/TABLE[?warehouse=NAME]
//
// The levels of a namespace are separated by dots; dots in names are written %2E. BASE is
// what the catalog's address has before /v1.
func InCatalog(path string) bool {
	return len(path) >= len(catalogScheme) && strings.EqualFold(path[:len(catalogScheme)], catalogScheme)
}
