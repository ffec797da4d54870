// This file keeps the files of a table in little memory: a table may have millions.

package delta

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unsafe"
)

// file is a data file that the table has, or had.
type file struct {
	text       string // the name, and behind it the key, unless the name ends with the key
	nameEnd    uint32
	keyStart   uint32
	gone       bool
	unresolved bool // the path can't be resolved: name and key are the path in the log
	size       int64
	partition  *partitionValues
	vector     *vectorDescriptor
	stats      statistics
}

// key returns the name by which actions find the file, together with its deletion vector: the path from
// the table's directory on, or the full path of a file outside of it. The path in the log may be escaped, or
// absolute, in one action and not in another.
func (f *file) key() string { return f.text[f.keyStart:] }

// fileSet holds files by their keys, in the order of the actions that added them.
type fileSet struct {
	given, absolute *table // with the directory alone: as it was given, and in full
	prefix          string // what the names of files in the directory begin with; empty if names are resolved one by one
	rowsOnly        bool   // statistics but for the number of rows are of no use

	chunks  [][]file
	n, live int
	slots   []uint64 // half of the hash, and the file's number from 1 on: open addressing
	seed    maphash.Seed
	texts   arena
	held    int // bytes of the texts
	dead    int // and of those, bytes that no file has any more
	scratch []byte
}

// newFileSet returns an empty set, given the table's directory and that in full.
func newFileSet(given, absolute string, rowsOnly bool) *fileSet {
	s := &fileSet{given: &table{dir: given}, absolute: &table{dir: absolute}, seed: maphash.MakeSeed(), rowsOnly: rowsOnly}
	if name, err := s.given.resolve("x"); err == nil && (filepath.Separator == '/' || strings.HasPrefix(given, "s3://")) {
		s.prefix = strings.TrimSuffix(name, "x")
	}
	return s
}

// locate puts the name and the key of a file into s.scratch. A path that can't be resolved stands for
// itself.
func (s *fileSet) locate(p string) (nameEnd, keyStart int, unresolved bool) {
	if s.prefix != "" && plainPath(p) {
		s.scratch = append(append(s.scratch[:0], s.prefix...), p...)
		return len(s.scratch), len(s.prefix), false
	}
	full, err := s.absolute.resolve(p)
	if err != nil {
		s.scratch = append(s.scratch[:0], p...)
		return len(p), 0, true
	}
	key := strings.TrimPrefix(filepath.ToSlash(full), filepath.ToSlash(s.absolute.dir)+"/")
	if plainPath(p) {
		key = p
	}
	if full, err = s.given.resolve(p); err != nil {
		full, unresolved = p, true
	}
	if s.scratch = append(s.scratch[:0], full...); strings.HasSuffix(full, key) {
		return len(full), len(full) - len(key), unresolved
	}
	s.scratch = append(s.scratch, key...)
	return len(full), len(full), unresolved
}

// plainPath reports whether a path is what it stands for, from the table's directory on.
func plainPath(p string) bool {
	for i := range len(p) {
		if c := p[i]; c == '%' || c == ':' || c == '\\' || c == 0 {
			return false
		}
	}
	return filepath.IsLocal(p) && (!strings.Contains(p, "/.") && p[0] != '.' && !strings.Contains(p, "//") && p[len(p)-1] != '/' || path.Clean(p) == p)
}

// slot returns where a file is in s.slots, or where it belongs, and the file if it is there.
func (s *fileSet) slot(key []byte, vector *vectorDescriptor) (at int, hash uint64, f *file) {
	const low = 1<<32 - 1
	hash = maphash.Bytes(s.seed, key) &^ low
	mask := len(s.slots) - 1
	for at = int(hash>>32) & mask; s.slots[at] != 0; at = (at + 1) & mask {
		if slot := s.slots[at]; slot&^low == hash {
			if f := s.file(int(slot&low) - 1); f.key() == string(key) && sameVector(f.vector, vector) {
				return at, hash, f
			}
		}
	}
	return at, hash, nil
}

func (s *fileSet) file(i int) *file { return &s.chunks[i/fileChunk][i%fileChunk] }

// sameVector reports whether two deletion vectors are known by the same.
func sameVector(a, b *vectorDescriptor) bool {
	return a == nil && b == nil || a.id() == b.id()
}

// grow makes room for another file.
func (s *fileSet) grow() {
	if s.n < len(s.slots)/4*3 {
		return
	}
	const fewest = 64
	old := s.slots
	s.slots = make([]uint64, max(2*len(old), fewest))
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		at := int(slot>>32) & (len(s.slots) - 1)
		for s.slots[at] != 0 {
			at = (at + 1) & (len(s.slots) - 1)
		}
		s.slots[at] = slot
	}
}

// add adds a file, or replaces what it was.
func (s *fileSet) add(a *addFile) {
	s.compact()
	s.grow()
	nameEnd, keyStart, unresolved := s.locate(a.Path)
	at, hash, f := s.slot(s.scratch[keyStart:], a.DeletionVector)
	if f == nil {
		if s.n%fileChunk == 0 {
			s.chunks = append(s.chunks, make([]file, 0, fileChunk))
		}
		last := &s.chunks[len(s.chunks)-1]
		*last = append(*last, file{gone: true})
		s.n++
		s.slots[at] = hash | uint64(s.n)
		f = s.file(s.n - 1)
	}
	if f.gone {
		s.live++
	} else {
		s.dead += len(f.stats.values)
	}
	if f.text != string(s.scratch) {
		s.dead += len(f.text)
		f.text = s.texts.keep(s.scratch)
		s.held += len(f.text)
	}
	f.nameEnd, f.keyStart, f.gone, f.unresolved = uint32(nameEnd), uint32(keyStart), false, unresolved
	f.size, f.partition, f.vector = a.Size, a.partition, a.DeletionVector
	f.stats = a.statistics(s.rowsOnly)
	f.stats.values = s.texts.keep(unsafe.Slice(unsafe.StringData(f.stats.values), len(f.stats.values)))
	s.held += len(f.stats.values)
}

// remove removes a file, if it is there.
func (s *fileSet) remove(p string, vector *vectorDescriptor) {
	if s.n == 0 {
		return
	}
	_, keyStart, _ := s.locate(p)
	if _, _, f := s.slot(s.scratch[keyStart:], vector); f != nil && !f.gone {
		s.dead += len(f.text) + len(f.stats.values) + int(unsafe.Sizeof(*f))
		s.live--
		*f = file{text: f.text, nameEnd: f.nameEnd, keyStart: f.keyStart, vector: f.vector, gone: true}
	}
}

// compact gives memory back that was of files that are gone, where that is most of it.
func (s *fileSet) compact() {
	if s.dead < fewestDead || s.dead < s.held/2 {
		return
	}
	now := &fileSet{given: s.given, absolute: s.absolute, prefix: s.prefix, rowsOnly: s.rowsOnly, seed: s.seed, scratch: s.scratch}
	for f := range s.all {
		now.grow()
		at, hash, _ := now.slot([]byte(f.key()), f.vector)
		if now.n%fileChunk == 0 {
			now.chunks = append(now.chunks, make([]file, 0, fileChunk))
		}
		last := &now.chunks[len(now.chunks)-1]
		*last = append(*last, *f)
		now.n, now.live = now.n+1, now.live+1
		now.slots[at] = hash | uint64(now.n)
		to := now.file(now.n - 1)
		to.text, to.stats.values = now.texts.keep([]byte(f.text)), now.texts.keep([]byte(f.stats.values))
		now.held += len(to.text) + len(to.stats.values)
	}
	*s = *now
}

// all calls yield with the files that aren't gone.
func (s *fileSet) all(yield func(*file) bool) {
	for _, c := range s.chunks {
		for i := range c {
			if !c[i].gone && !yield(&c[i]) {
				return
			}
		}
	}
}

// sorted calls yield with each file in ascending order of keys, and with the file before it.
func (s *fileSet) sorted(yield func(f, before *file) error) error {
	// A file's bytes behind those that all begin with are compared before the files are looked at.
	type place struct {
		high, low uint64
		at        uint32
	}
	common, first := 0, ""
	for f := range s.all {
		key := f.key()
		if first == "" {
			first, common = key, len(key)
		}
		for common > len(key) || first[:common] != key[:common] {
			common--
		}
	}
	order := make([]place, 0, s.live)
	var eight [8]byte
	word := func(b string) uint64 {
		eight = [8]byte{}
		copy(eight[:], b)
		return binary.BigEndian.Uint64(eight[:])
	}
	for i := range s.n {
		if f := s.file(i); !f.gone {
			rest := f.key()[common:]
			order = append(order, place{word(rest), word(rest[min(8, len(rest)):]), uint32(i)})
		}
	}
	slices.SortFunc(order, func(a, b place) int {
		if c := cmp.Compare(a.high, b.high); c != 0 {
			return c
		}
		if c := cmp.Compare(a.low, b.low); c != 0 {
			return c
		}
		f, g := s.file(int(a.at)), s.file(int(b.at))
		return cmp.Or(strings.Compare(f.key(), g.key()), strings.Compare(f.vector.id(), g.vector.id()))
	})
	var before *file
	for i := range order {
		f := s.file(int(order[i].at))
		if err := yield(f, before); err != nil {
			return err
		}
		before = f
	}
	runtime.KeepAlive(s)
	return nil
}

// arena holds texts in a few large pieces of memory.
type arena struct{ free []byte }

// keep returns a copy of a text.
func (a *arena) keep(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	if len(text) > len(a.free) {
		if len(text) > arenaPiece/8 {
			return string(text)
		}
		a.free = make([]byte, arenaPiece)
	}
	n := copy(a.free, text)
	kept := unsafe.String(unsafe.SliceData(a.free), n)
	a.free = a.free[n:]
	return kept
}
