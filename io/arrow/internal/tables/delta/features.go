// This file refuses tables with features that aren't read.

package delta

import (
	"slices"
	"strings"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// features are the table features that concern readers and are read. Those that
// concern writers alone aren't asked for.
var features = []string{"columnMapping", "deletionVectors", "timestampNtz", "v2Checkpoint", "vacuumProtocolCheck",
	"typeWidening", "typeWidening-preview",
	// Columns of variants are left alone, like lists and maps.
	"variantType", "variantType-preview", "variantShredding", "variantShredding-preview"}

// mapping defines how columns are found in data files.
type mapping uint8

const (
	unmapped mapping = iota // by the table's names
	byName                  // by physical names
	byID                    // by field ids
)

// check refuses a protocol that isn't supported, and returns how columns are found.
func (p *protocol) check(m *metadata) (mapping, error) {
	switch {
	case p.MinReaderVersion < 1:
		return 0, columnar.Corrupt("a protocol of reader version %d", p.MinReaderVersion)
	case p.MinReaderVersion > 3:
		return 0, columnar.Unsupported("Delta Lake's reader version %d, where 1 to 3 are read%s", p.MinReaderVersion, withFeatures(p.unknown()))
	case p.MinReaderVersion == 3:
		if unknown := p.unknown(); len(unknown) > 0 {
			return 0, columnar.Unsupported("a table of Delta Lake%s", withFeatures(unknown))
		}
	}
	mode := m.Configuration["delta.columnMapping.mode"]
	allowed := p.MinReaderVersion == 2 || p.MinReaderVersion == 3 && slices.Contains(p.ReaderFeatures, "columnMapping")
	switch {
	case mode == "" || mode == "none" || !allowed:
		return unmapped, nil
	case mode == "name":
		return byName, nil
	case mode == "id":
		return byID, nil
	}
	return 0, columnar.Unsupported("column mapping by %.40q", mode)
}

// widens reports whether types of columns may have been widened.
func (p *protocol) widens() bool {
	return slices.Contains(p.ReaderFeatures, "typeWidening") || slices.Contains(p.ReaderFeatures, "typeWidening-preview")
}

// unknown returns the features that aren't read.
func (p *protocol) unknown() (names []string) {
	for _, f := range p.ReaderFeatures {
		if !slices.Contains(features, f) && len(names) < 10 {
			names = append(names, f)
		}
	}
	return names
}

func withFeatures(names []string) string {
	if len(names) == 0 {
		return ""
	}
	s := strings.Join(names, ", ")
	if len(s) > 300 {
		s = s[:300]
	}
	return ", with the feature " + s
}
