package delta

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestFileSet: files that are added and removed in any order, by paths in several spellings and with
// deletion vectors, are those that a map has, and what is gone gives its memory back.
func TestFileSet(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 7))
		given := []string{"table", "/x/table", "./table", ".", "s3://b/table"}[seed%5]
		full := given
		if !strings.HasPrefix(full, "s3:") {
			full = "/x/table"
		}
		s := newFileSet(given, full, false)
		type kept struct {
			size  int64
			stats string
		}
		want := map[string]kept{} // by path and deletion vector
		paths := 1 + r.IntN(3000)
		most := 0
		for step := range 20000 {
			plain := fmt.Sprintf("k=%d/%s.parquet", r.IntN(3), strings.Repeat([]string{"ab c", "50%", "a%3Ab+ä"}[r.IntN(3)], 1+r.IntN(paths)%7)+fmt.Sprint(r.IntN(paths)))
			path := spelled(r, full, plain)
			var v *vectorDescriptor
			if r.IntN(5) == 0 {
				v = &vectorDescriptor{StorageType: "u", PathOrInlineDV: fmt.Sprint(r.IntN(2))}
			}
			key := plain + "\x00" + v.id()
			if r.IntN(5) < 2 {
				s.remove(path, v)
				delete(want, key)
				continue
			}
			k := kept{int64(step), strings.Repeat(fmt.Sprint(step), r.IntN(300))}
			s.add(&addFile{Path: path, Size: k.size, Stats: k.stats, DeletionVector: v})
			want[key] = k
			most = max(most, s.held)
		}
		if s.live != len(want) {
			t.Fatalf("%d files, want %d", s.live, len(want))
		}
		got := make([]string, 0, len(want))
		if err := s.sorted(func(f, before *file) error {
			key := f.key() + "\x00" + f.vector.id()
			if k := want[key]; f.size != k.size || f.stats.text() != k.stats {
				t.Errorf("%s has size %d, want %d", key, f.size, k.size)
			}
			if name, err := s.given.resolve(strings.ReplaceAll(f.key(), "%", "%25")); err != nil || f.unresolved {
				t.Error(err)
			} else if at := f.text[:f.nameEnd]; at != name && at != full+"/"+f.key() {
				t.Errorf("%s is at %s, want %s", key, at, name)
			}
			if before != nil && before.key()+"\x00"+before.vector.id() != got[len(got)-1] {
				t.Errorf("%s comes before %s, not %s", got[len(got)-1], key, before.key())
			}
			got = append(got, key)
			return nil
		}); err != nil || !slices.IsSorted(got) || len(got) != len(want) {
			t.Fatalf("%d files, sorted %v, %v", len(got), slices.IsSorted(got), err)
		}
		if most > 3*fewestDead {
			t.Errorf("%d bytes were held", most)
		}
	}
}

// spelled returns one of the ways that a log may name the file of that name in the directory.
func spelled(r *rand.Rand, dir, name string) string {
	escaped := func(s string) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			switch {
			case c == '%', r.IntN(20) == 0 && c != '/', c >= 0x80 && r.IntN(3) == 0, strings.IndexByte(" +:=", c) >= 0 && r.IntN(2) == 0:
				fmt.Fprintf(&b, []string{"%%%02X", "%%%02x"}[r.IntN(2)], c)
			default:
				b.WriteByte(c)
			}
		}
		return b.String()
	}
	full := strings.TrimPrefix(dir, "s3:") + "/" + name
	switch absolute := r.IntN(2) == 0; {
	case absolute && dir != full[:len(dir)]:
		return []string{"s3:", "s3a:", "s3n:"}[r.IntN(3)] + "//" + escaped(full[2:])
	case absolute:
		return []string{"", "file:", "file://", "file://localhost"}[r.IntN(4)] + escaped(full)
	}
	return escaped(name)
}

// TestSpellings: a file has one name and one key, however the log spells its path, and what names deletion
// vectors and sidecars goes by the same.
func TestSpellings(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for range testlong.Rounds(250, 20_000) {
		dir := []string{"/x/table", "s3://b/table", "/50%25/a%20b", "s3://b/50%25", "/x/ä+ y"}[r.IntN(5)]
		name := "k=" // no scheme
		for range 1 + r.IntN(12) {
			name += []string{"a", "%", "25", "%25", "%2525", "3A", ":", "+", " ", "ä", "☃", "/b", "=", "file:", "C:", "#", "?", "&", ";", `"`}[r.IntN(20)]
		}
		p, want := spelled(r, dir, name), dir+"/"+name
		table := &table{dir: dir}
		if got, err := table.resolve(p); got != want || err != nil {
			t.Fatalf("%q in %q: %q, %v, want %q", p, dir, got, err, want)
		}
		v, err := table.vector(&vectorDescriptor{StorageType: "p", PathOrInlineDV: p, SizeInBytes: 40, Cardinality: 6})
		if err != nil || v.name != want {
			t.Fatalf("%q in %q: %+v, %v, want %q", p, dir, v, err, want)
		}
		if side := p; strings.Contains(side, "/") {
			if got, err := (&log{dir: dir}).sidecar(side); got != want || err != nil {
				t.Fatalf("%q in %q: %q, %v, want %q", p, dir, got, err, want)
			}
		}
		s := newFileSet(dir, dir, false)
		s.add(&addFile{Path: p})
		if f := s.file(0); f.key() != name || f.text[:f.nameEnd] != want || f.unresolved {
			t.Fatalf("%q in %q: the key %q of %q", p, dir, f.key(), f.text[:f.nameEnd])
		}
		again := spelled(r, dir, name)
		if s.remove(again, nil); s.live != 0 {
			t.Fatalf("%q in %q isn't %q", again, dir, p)
		}
	}
}

// TestPlainPath: what is plain stands for itself, by whatever way it is found out.
func TestPlainPath(t *testing.T) {
	for _, c := range []struct {
		path  string
		plain bool
	}{
		{"a", true}, {"a/b.parquet", true}, {"a/.b", true}, {".a/b", true}, {"a..b", true}, {"a/..b", true}, {".", true}, {"a b=ä/c", true},
		{"", false}, {"/a", false}, {"a/", false}, {"a//b", false}, {"./a", false}, {"a/./b", false}, {"a/../b", false}, {"../a", false}, {"..", false},
		{"a%20b", false}, {"s3:a", false}, {`a\b`, false}, {"a\x00", false},
	} {
		if got := plainPath(c.path); got != c.plain {
			t.Errorf("%q: %v", c.path, got)
		}
	}
}
