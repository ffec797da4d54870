// This file tells prepared graphs from other Arrow files.

package arrow

import (
	"fmt"
)

// Every prepared graph has this key and value in its metadata.
const (
	keyFormat    = "foray.format"
	storedFormat = "graph"
)

// isGraph reports whether metadata belongs to a prepared graph.
func isGraph(kv map[string]string) bool { return kv[keyFormat] == storedFormat }

// errIsGraph is for a prepared graph where edges are wanted.
func errIsGraph() error {
	return fmt.Errorf("%w: it is a prepared graph, not a table of edges; OpenGraph opens it", ErrFormat)
}
