// This file holds the lookup from external ids to vertices.

package graph

// idIndex finds the vertex of an external id.
type idIndex struct{}

// Vertex returns the vertex with the integer id, or a *VertexError.
func (g *Graph) Vertex(id int64) (uint32, error) {
	if g.ids.Dense() {
		if id < 0 || id >= int64(g.ids.Len) {
			return 0, &VertexError{ID: id}
		}
		return uint32(id), nil
	}
	for v, x := range g.ids.Ints {
		if x == id {
			return uint32(v), nil
		}
	}
	return 0, &VertexError{ID: id}
}
