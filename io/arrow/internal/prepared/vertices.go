// This file holds the columns of vertices in a prepared graph's file.

package prepared

import "github.com/foray-graph/foray/graph"

// versionVertexColumns is the first version whose vertices may have columns.
const versionVertexColumns = 6

// keyVertexColumns is JSON of storedColumnInfo; missing where there are none.
const keyVertexColumns = "foray.vertex_columns"

// addVertexColumns lays out the columns of a graph's vertices.
func (s *storedGraph) addVertexColumns(g *graph.Graph) {
	for _, c := range g.VertexColumns() {
		s.version = versionVertexColumns
		e := s.infoOf(&c)
		s.values = append(s.values, e)
		kind, data := bytesOfColumn(&c)
		s.add(columnValue+c.Name, storedVertexInt32+kind).array("values").data = data
		s.addStrings(&c, &e)
	}
}
