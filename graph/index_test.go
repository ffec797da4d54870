package graph

import (
	"errors"
	"strings"
	"testing"
)

// pathOf is a graph of so many vertices, without edges.
func pathOf(t *testing.T, ids *IDs) *Graph {
	t.Helper()
	g, err := FromCSR(CSR{Offsets: make([]uint64, ids.Len+1)}, CSROptions{IDs: ids})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestVertexLookup has id maps that no Builder made, in any order.
func TestVertexLookup(t *testing.T) {
	signed := pathOf(t, &IDs{Type: Int32, Len: 4, Ints: []int64{5, -9, 7, 0}})
	unsigned := pathOf(t, &IDs{Type: Uint64, Len: 3, Ints: []int64{-1, 3, -5}})
	text := pathOf(t, &IDs{Type: String, Len: 3, StringOffsets: []uint64{0, 1, 1, 3}, Data: []byte("bab")})
	binary := pathOf(t, &IDs{Type: Binary, Len: 2, StringOffsets: []uint64{0, 2, 3}, Data: []byte{0xfe, 1, 0}})
	dense := pathOf(t, &IDs{Type: Int64, Len: 3})
	moved := pathOf(t, &IDs{Type: Uint8, Len: 3, Dense32: []uint32{2, 0, 1}})
	for _, g := range []*Graph{signed, unsigned, text, binary, dense, moved} {
		for v := range uint32(g.NumVertices()) {
			name := g.IDs().Format(v)
			if got, err := g.ParseVertex(name); err != nil || got != v {
				t.Errorf("%v ids: %q is vertex %d, %v; want %d", g.IDs().Type, name, got, err, v)
			}
		}
	}
	for name, c := range map[string]struct {
		ask func() (uint32, error)
		is  error
	}{
		"absent":                     {func() (uint32, error) { return signed.Vertex(6) }, ErrNoVertex},
		"negative":                   {func() (uint32, error) { return unsigned.Vertex(-1) }, ErrNoVertex},
		"past the dense ones":        {func() (uint32, error) { return dense.Vertex(3) }, ErrNoVertex},
		"far past the dense ones":    {func() (uint32, error) { return dense.Vertex(1 << 32) }, ErrNoVertex},
		"before the dense ones":      {func() (uint32, error) { return dense.Vertex(-1) }, ErrNoVertex},
		"far past the moved ones":    {func() (uint32, error) { return moved.Vertex(1 << 32) }, ErrNoVertex},
		"absent string":              {func() (uint32, error) { return text.VertexString("c") }, ErrNoVertex},
		"absent bytes":               {func() (uint32, error) { return binary.VertexString("\x01") }, ErrNoVertex},
		"integer of strings":         {func() (uint32, error) { return text.Vertex(1) }, ErrIDType},
		"string of integers":         {func() (uint32, error) { return dense.VertexString("1") }, ErrIDType},
		"text that is no integer":    {func() (uint32, error) { return dense.ParseVertex("one") }, ErrIDType},
		"text that is not unsigned":  {func() (uint32, error) { return unsigned.ParseVertex("-1") }, ErrIDType},
		"text that is no hex":        {func() (uint32, error) { return binary.ParseVertex("0x1") }, ErrIDType},
		"text of an absent integer":  {func() (uint32, error) { return dense.ParseVertex("77") }, ErrNoVertex},
		"text of an absent sequence": {func() (uint32, error) { return binary.ParseVertex("ff") }, ErrNoVertex},
	} {
		v, err := c.ask()
		if !errors.Is(err, c.is) {
			t.Errorf("%s: vertex %d, %v; want %v", name, v, err, c.is)
		}
	}
	_, err := signed.Vertex(6)
	var absent *vertexError
	if !errors.As(err, &absent) || absent.ID != int64(6) || !strings.Contains(err.Error(), "6") {
		t.Errorf("%#v", err)
	}
}
