package delta

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
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
			plain := fmt.Sprintf("k=%d/%s.parquet", r.IntN(3), strings.Repeat("ab c", 1+r.IntN(paths)%7)+fmt.Sprint(r.IntN(paths)))
			path := plain
			switch r.IntN(6) {
			case 0:
				path = strings.ReplaceAll(plain, " ", "%20")
			case 1:
				if full[0] == '/' {
					path = full + "/" + plain
				}
			case 2:
				if full[0] == '/' {
					path = "file://" + full + "/" + plain
				}
			}
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
			if name, err := s.given.resolve(strings.ReplaceAll(f.key(), " ", "%20")); err != nil || f.unresolved {
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
