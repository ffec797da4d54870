package gpu

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
)

// packed makes a pack of n codes for each of two GPUs, and forgets it when the test ends.
func packed(t *testing.T, n int) (all []Ahead, pack []byte) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(n), 1))
	for i := range n {
		for _, major := range []int{9, 8} {
			code := make([]byte, 1+r.IntN(5000))
			for j := range code {
				code[j] = byte(r.IntN(4)) + byte(major)
			}
			all = append(all, Ahead{"", major, fmt.Appendf(nil, "// a comment\n// of %d lines\ntext // %d\x00", n, i), code})
		}
	}
	pack, err := PackAhead(all, packImage)
	if err != nil {
		t.Fatal(err)
	}
	known := packs.all
	t.Cleanup(func() { packs.all = known })
	return all, pack
}

func TestAhead(t *testing.T) {
	for _, n := range []int{0, 1, 2, 50} {
		all, pack := packed(t, n)
		packs.all = nil
		AddAhead(nil) // no pack
		AddAhead(pack)
		for _, a := range all {
			if !bytes.Equal(CodeAhead(a.PTX, a.Major), a.Code) {
				t.Errorf("%q for %d: other code", a.PTX, a.Major)
			}
			if CodeAhead(a.PTX, 7) != nil || CodeAhead(a.PTX, 10) != nil {
				t.Errorf("%q: there is code for other GPUs", a.PTX)
			}
			if !bytes.Equal(CodeAhead(append([]byte("// other\n"), a.PTX...), a.Major), a.Code) {
				t.Errorf("%q: with another comment there is no code", a.PTX)
			}
			if CodeAhead(append(a.PTX[:len(a.PTX)-1:len(a.PTX)-1], ' ', 0), a.Major) != nil {
				t.Errorf("%q: another text has its code", a.PTX)
			}
		}
	}
}

// A damaged pack gives no code, or the right one.
func TestAheadDamaged(t *testing.T) {
	all, pack := packed(t, 5)
	right := func(what string, bad []byte) {
		t.Helper()
		packs.all, packs.frame = [][]byte{bad}, nil
		for _, a := range all {
			if code := CodeAhead(a.PTX, a.Major); code != nil && len(code) > len(pack)*100 {
				t.Fatalf("%s: %d bytes of code", what, len(code))
			}
		}
	}
	for n := range pack {
		right(fmt.Sprintf("cut after %d bytes", n), pack[:n])
	}
	for at := range pack {
		bad := bytes.Clone(pack)
		bad[at] ^= 0xff
		right(fmt.Sprintf("byte %d", at), bad)
	}
	for at := len(aheadMagic); at+4 <= len(pack) && at < 400; at++ {
		bad := bytes.Clone(pack)
		binary.LittleEndian.PutUint32(bad[at:], 1<<32-1)
		right(fmt.Sprintf("a number at byte %d", at), bad)
	}
}

// mostAhead is how much the pack of the algorithms may weigh in each program that has one of them. An algorithm takes 10 to
// 90 kB.
const mostAhead = 1_500_000

func TestAheadCommitted(t *testing.T) {
	pack, err := os.ReadFile("../../algos/internal/ahead/ahead.bin")
	if err != nil {
		t.Fatal(err)
	}
	if len(pack) > mostAhead || len(pack) < aheadHead {
		t.Errorf("the pack has %d bytes, at most %d", len(pack), mostAhead)
	}
}
