// This file holds the fuzz targets: any bytes give what the definition gives,
// or an error.

package edgelist

import (
	"bytes"
	"testing"

	"github.com/foray-graph/foray/graph"
)

// fuzzOptions makes options of a number.
func fuzzOptions(x uint32) Options {
	o := Options{IDs: idsNames[x%5], Header: headerNames[x>>3%3], Separator: []byte{0, ' ', ',', '\t', ';'}[x>>5%5],
		Workers: 1 + int(x>>8%2), chunk: 1 + int(x>>9%64), batch: 1 + int(x>>15%16)}
	o.Graph.Weights = x>>19%2 == 1
	o.Graph.Directed = x>>20%2 == 1
	o.Ragged = x>>21%2 == 1
	o.Comment, o.NoComments = []byte{0, 0, '#', 0}[x>>22%4], x>>22%4 == 3
	return o
}

func FuzzText(f *testing.F) {
	for i, s := range []string{"1 2\n3 4\n", "# c\r\n1,2,0.5\r\n\r\n\"3\",\"4\",1e3", "src\tdst\na b\tc\"d\n", "\xef\xbb\xbf-1;+2;x\n%\n", "1 2 inf\n9223372036854775808 1\n", "a b\n\"\n"} {
		f.Add([]byte(s), uint32(i*77777))
	}
	f.Add([]byte("a,b\n\"\",c\n"), uint32(3))                                    // an empty id
	f.Add([]byte("0\t0\n0\t0\n\t"), uint32(1<<3|3<<5))                           // tabs separate, and one stands alone
	f.Add([]byte("a,b,c\n1,2,\"x\n3,4,y\"\r\n#5,6,\n"), uint32(2<<5|3<<9|2<<22)) // rows of several lines
	f.Fuzz(func(t *testing.T, data []byte, x uint32) {
		o := fuzzOptions(x)
		o.Format = "text"
		if in, err := newInput(bytes.NewReader(data), -1, &o); err != nil || in.compression != "" {
			return
		}
		sameAsNaive(t, string(data), o)
	})
}

func fuzzMatrix(f *testing.F, format string, seeds ...string) {
	for i, s := range seeds {
		f.Add([]byte(s), uint32(i*77777))
	}
	f.Fuzz(func(t *testing.T, data []byte, x uint32) {
		o := fuzzOptions(x)
		o.Format, o.Comment, o.MaxVertices = format, 0, 1000 // so that a head of some bytes doesn't take long
		if in, err := newInput(bytes.NewReader(data), -1, &o); err != nil || in.compression != "" {
			return
		}
		matrixSameAsNaive(t, string(data), o)
	})
}

func FuzzMatrixMarket(f *testing.F) {
	fuzzMatrix(f, "mtx", banner+" matrix coordinate real symmetric\n% c\n3 3 2\n1 2 0.5\n3 3 -1e3",
		banner+" matrix coordinate pattern general\r\n3 3 1\r\n1 2\r\n", banner+" Matrix Coordinate COMPLEX skew-symmetric\n3 3 1\n3 2 1 2\n")
}

func FuzzDIMACS(f *testing.F) {
	fuzzMatrix(f, "gr", "c x\np sp 3 2\na 1 2 5\n\nc\na 3 1 7", "p sp 3 1\r\na 1 2 .5\r\n")
}

func FuzzSG(f *testing.F) {
	rows := [][]edge32{{{1, 5}, {2, 6}}, {{0, 5}}, {{0, 6}}, {}}
	f.Add(sgBytes(false, false, rows), uint8(0))
	f.Add(sgBytes(true, true, rows, rows), uint8(7))
	f.Add(sgBytes(true, false, [][]edge32{{{0, 0}, {0, 0}}}, [][]edge32{{{0, 0}, {0, 0}}}), uint8(63))
	f.Fuzz(func(t *testing.T, data []byte, x uint8) {
		o := Options{format: formatSG + format(x&1), Graph: graph.Options{Directed: x&2 > 0, Reverse: x&4 > 0,
			Weights: x&1 > 0 && x&8 > 0, KeepDuplicates: x&16 > 0, KeepSelfLoops: x&32 > 0, Order: graph.Order(x >> 6 % 3)}, batch: 3}
		in, err := newInput(bytes.NewReader(data), -1, &o)
		if err != nil || in.compression != "" {
			return
		}
		g, err := loadSG(ctx, in, &o)
		var edges int
		yieldErr := Read(ctx, bytes.NewReader(data), o, func(b graph.Batch) error { edges += len(b.Dst); return nil })
		if err != nil {
			// Loading checks more than reading, but not less, an empty graph excepted.
			return
		}
		if yieldErr != nil {
			t.Fatalf("loaded, but not read: %v", yieldErr)
		}
		if err := g.Out().Check(); err != nil {
			t.Fatal(err)
		}
		if !g.Directed() {
			if err := g.Out().CheckSymmetric(); err != nil {
				t.Fatal(err)
			}
		}
		if o.Graph.KeepDuplicates && o.Graph.KeepSelfLoops && g.Directed() && uint64(edges) != g.NumDirectedEdges() {
			t.Fatalf("%d edges loaded, %d read", g.NumDirectedEdges(), edges)
		}
	})
}

// FuzzCompressed wants neither panics nor hangs of damaged streams.
func FuzzCompressed(f *testing.F) {
	list, _ := sampleList(50)
	f.Add(gz(f, list))
	f.Add(zst(f, list))
	f.Add([]byte{0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3})
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := collect(t, data, Options{IDs: "binary", Workers: 1}); err != nil && err.Error() == "" {
			t.Fatal("an error without words")
		}
	})
}
