// This file tells prepared graphs from other Arrow files.

package input

import (
	"fmt"
)

// Every prepared graph has this key and value in its metadata.
const (
	KeyFormat    = "foray.format"
	StoredFormat = "graph"
)

// IsGraph reports whether metadata belongs to a prepared graph.
func IsGraph(kv map[string]string) bool { return kv[KeyFormat] == StoredFormat }

// ErrIsGraph is for a prepared graph where edges are wanted.
func ErrIsGraph() error {
	return fmt.Errorf("%w: it is a prepared graph, not a table of edges; OpenGraph opens it", ErrFormat)
}
