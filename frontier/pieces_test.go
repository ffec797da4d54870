package frontier_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/host"
)

// TestPieces leaves a queue in random pieces, then reads or changes it by every
// method. The result is the concatenation of the pieces.
func TestPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	const n = 5000
	p := placed(n, 2)
	s := host.New(2).Stream(context.Background())
	defer s.Close()
	f := frontier.New(p)
	for range 300 {
		must(t, f.Clear(frontier.Queue))
		room := f.Room()
		for i := range room {
			room[i] = n // no vertex
		}
		var pieces []front.Piece
		var want []uint32
		at := 0
		for range r.IntN(12) {
			at += r.IntN(3) * r.IntN(50)
			k := r.IntN(100)
			for i := range k {
				room[at+i] = uint32(r.IntN(n))
			}
			want = append(want, room[at:at+k]...)
			pieces = append(pieces, front.Piece{First: at, Len: k})
			at += k
		}
		f.SetPieces(pieces)
		clear(pieces) // the frontier has a copy
		if f.Len() != len(want) {
			t.Fatalf("%d entries, want %d", f.Len(), len(want))
		}
		switch r.IntN(9) {
		case 0:
			buffer, pieces := f.Pieces()
			var got []uint32
			for _, p := range pieces {
				got = append(got, buffer[p.First:p.First+p.Len]...)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("pieces %v are %v, want %v", pieces, head(got), head(want))
			}
		case 1:
			must(t, f.Add(4, 4))
			want = append(want, 4, 4)
		case 2:
			must(t, f.Grow(n+front.Slack*2))
		case 3:
			f.Spare()[0] = 3
			if at := f.Reserve(1); at != len(want) {
				t.Fatalf("reserved %d, want %d", at, len(want))
			}
			want = append(want, 3)
		case 4:
			if got := f.Room()[:len(want)]; !slices.Equal(got, want) {
				t.Fatalf("the buffer begins with %v, want %v", head(got), head(want))
			}
		case 5:
			want = want[:len(want)/2]
			f.SetLen(len(want))
		case 6:
			must(t, f.Convert(s, frontier.Bitmap))
			slices.Sort(want)
			want = slices.Compact(want)
			must(t, f.Convert(s, frontier.Queue))
		case 7:
			must(t, f.Reset(frontier.Queue))
			want = nil
		}
		check(t, "after pieces", f, frontier.Queue, want)
		buffer, whole := f.Pieces()
		if len(want) > 0 && (len(whole) != 1 || whole[0] != (front.Piece{Len: len(want)}) || !slices.Equal(buffer[:len(want)], want)) {
			t.Fatalf("a queue that was read has the pieces %v, want one of %d", whole, len(want))
		}
	}
	must(t, f.Convert(s, frontier.Bitmap))
	if buffer, pieces := f.Pieces(); buffer != nil || pieces != nil {
		t.Error("a bitmap has pieces")
	}
}
