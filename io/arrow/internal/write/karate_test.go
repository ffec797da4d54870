// This file holds Zachary's karate club, and makes and checks the Parquet file
// of it in the repository's testdata.

package write

import (
	"context"
	"flag"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/foray-graph/foray/graph"
)

var updateKarate = flag.Bool("update-karate", false, "write testdata/karate.parquet again")

// karate has, for each member of the club from 1 on, the members with higher
// numbers those he or she met outside the club's meetings (Zachary 1977,
// figure 3; the network without its weights).
var karate = [34][]int64{
	{2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 18, 20, 22, 32},
	{3, 4, 8, 14, 18, 20, 22, 31},
	{4, 8, 9, 10, 14, 28, 29, 33},
	{8, 13, 14},
	{7, 11},
	{7, 11, 17},
	{17},
	nil,
	{31, 33, 34},
	{34},
	nil, nil, nil,
	{34},
	{33, 34},
	{33, 34},
	nil, nil,
	{33, 34},
	{34},
	{33, 34},
	nil,
	{33, 34},
	{26, 28, 30, 33, 34},
	{26, 28, 32},
	{32},
	{30, 34},
	{34},
	{32, 34},
	{33, 34},
	{33, 34},
	{33, 34},
	{34},
	nil,
}

// karateDegrees are the numbers of friends, as published.
var karateDegrees = [34]int{16, 9, 10, 6, 3, 4, 4, 4, 5, 2, 3, 1, 2, 5, 2, 2, 2,
	2, 2, 3, 2, 2, 2, 5, 3, 3, 2, 4, 3, 4, 4, 6, 12, 17}

const (
	karateEdges     = 78
	karateTriangles = 45
	karateDiameter  = 5
)

func TestKarate(t *testing.T) {
	path := filepath.Join("..", "..", "..", "..", "testdata", "karate.parquet")
	if *updateKarate {
		err := WriteEdgeBatches(context.Background(), path, func(_ context.Context, yield func(graph.Batch) error) error {
			var b graph.Batch
			for u, friends := range karate {
				for _, v := range friends {
					b.Src, b.Dst = append(b.Src, int64(u)+1), append(b.Dst, v)
				}
			}
			return yield(b)
		}, WriteOptions{Compression: "snappy"})
		if err != nil {
			t.Fatal(err)
		}
	}

	got := readBack(t, path)
	if !slices.Equal(got.names, []string{"src", "dst"}) || !slices.Equal(got.types, []string{"int64", "int64"}) || !got.codecs["snappy"] {
		t.Errorf("columns %v of %v, compressed with %v", got.names, got.types, got.codecs)
	}
	var want [][]string
	for u, friends := range karate {
		for _, v := range friends {
			want = append(want, []string{strconv.Itoa(u + 1), strconv.FormatInt(v, 10)})
		}
	}
	got.equal(t, got.names, got.types, want)

	// The list above against what is known of the network.
	const n = len(karate)
	var adjacent [n][n]bool
	for _, row := range got.rows {
		u, _ := strconv.Atoi(row[0])
		v, _ := strconv.Atoi(row[1])
		if u < 1 || u >= v || v > n || adjacent[u-1][v-1] {
			t.Fatalf("edge %v", row)
		}
		adjacent[u-1][v-1], adjacent[v-1][u-1] = true, true
	}
	if len(got.rows) != karateEdges {
		t.Errorf("%d edges, want %d", len(got.rows), karateEdges)
	}
	triangles := 0
	var distance [n][n]int
	for u := range n {
		degree := 0
		for v := range n {
			switch {
			case adjacent[u][v]:
				degree++
				distance[u][v] = 1
			case u != v:
				distance[u][v] = n
			}
			for w := range v {
				if w > u && adjacent[u][v] && adjacent[v][w] && adjacent[u][w] {
					triangles++
				}
			}
		}
		if degree != karateDegrees[u] {
			t.Errorf("member %d has %d friends, want %d", u+1, degree, karateDegrees[u])
		}
	}
	diameter := 0
	for via := range n {
		for u := range n {
			for v := range n {
				distance[u][v] = min(distance[u][v], distance[u][via]+distance[via][v])
			}
		}
	}
	for u := range n {
		diameter = max(diameter, slices.Max(distance[u][:]))
	}
	if triangles != karateTriangles || diameter != karateDiameter {
		t.Errorf("%d triangles, want %d; diameter %d, want %d", triangles, karateTriangles, diameter, karateDiameter)
	}
}
