package dataset

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/crafticeberg"
)

// TestTablesWithoutRows: errors say whether a table has a snapshot.
func TestTablesWithoutRows(t *testing.T) {
	dir := t.TempDir()
	table := crafticeberg.New(dir, []crafticeberg.Column{{ID: 1, Name: "src", Type: "long"}, {ID: 2, Name: "dst", Type: "long"}}, rand.New(rand.NewPCG(3, 2)), crafticeberg.Options{Version: 2, Plain: true})
	table.WriteMetadata()
	_, err := Load(context.Background(), dir, Options{})
	check(t, err, graph.ErrEmpty, `the table has no snapshot yet, so that it has no rows$`)
	table.Append(nil)
	table.WriteMetadata()
	_, err = Load(context.Background(), dir, Options{})
	check(t, err, graph.ErrEmpty, `snapshot \d+ of the table has no rows$`)
}
