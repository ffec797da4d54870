// This file damages metadata, manifests and deletes at random.

package iceberg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	craft "github.com/foray-graph/foray/io/arrow/internal/crafticeberg"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// memory is files in memory.
type memory map[string][]byte

type memoryFile struct{ *bytes.Reader }

func (memoryFile) Close() error { return nil }

func (m memory) Open(_ context.Context, name string) (tables.File, error) {
	b, ok := m[name]
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return memoryFile{bytes.NewReader(b)}, nil
}

func (m memory) List(_ context.Context, dir string) (all []tables.Entry, _ error) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if rest, ok := strings.CutPrefix(name, dir+"/"); ok && !strings.Contains(rest, "/") {
			all = append(all, tables.Entry{Name: name, Size: int64(len(m[name]))})
		}
	}
	return all, nil
}

// load reads the files of a directory as the table /t.
func loadMemory(t *testing.T, dir string) memory {
	m := memory{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(p, ".crc") {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		m["/t/"+filepath.ToSlash(rel)], err = os.ReadFile(p)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// mutated returns bytes that differ a little.
func mutated(rng *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + rng.IntN(3) {
		if len(b) == 0 {
			return b
		}
		at := rng.IntN(len(b))
		switch rng.IntN(7) {
		case 0:
			b[at] ^= 1 << rng.IntN(8)
		case 1:
			b[at] = byte(rng.Uint32())
		case 2:
			b = b[:at]
		case 3:
			end := min(len(b), at+1+rng.IntN(8))
			for i := at; i < end; i++ {
				b[i] = 0xff
			}
		case 4:
			end := min(len(b), at+1+rng.IntN(30))
			b = slices.Delete(b, at, end)
		case 5:
			end := min(len(b), at+1+rng.IntN(60))
			b = slices.Insert(b, at, bytes.Clone(b[at:end])...)
		case 6: // another digit of JSON's numbers, or another letter
			for i := at; i < len(b); i++ {
				if b[i] >= '0' && b[i] <= '9' {
					b[i] = byte('0' + rng.IntN(10))
					break
				}
			}
		}
	}
	return b
}

// readAllOf opens the current snapshot and all its deletes.
func readAllOf(ctx context.Context, m memory) (rows [][]int64, err error) {
	s, err := openWhole(ctx, m, "/t", tables.At{})
	if err != nil {
		return nil, err
	}
	for i := range s.Files {
		f := &s.Files[i]
		for _, c := range s.Fields {
			f.Bounds(f.Stats, c.Name)
		}
		if f.Deletes != nil {
			d, err := f.Deletes(ctx, m)
			if err != nil {
				return nil, err
			}
			rows = append(rows, d.Rows)
		}
	}
	return rows, nil
}

// TestMutations: damaged metadata is an error of the kinds that there are, or is read, in
// little time and memory. The checksum of a deletion vector shows any damage.
func TestMutations(t *testing.T) {
	testlong.Only(t)
	var all []memory
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 9))
		dir := t.TempDir()
		w := craft.New(dir, []craft.Column{{ID: 1, Name: "a", Type: "long", Required: true}, {ID: 2, Name: "b", Type: "string"}}, rng,
			craft.Options{Version: 1 + int(seed)%3, Location: "/somewhere/t"})
		for i := range 3 {
			var rows []craft.Row
			for k := range 10 {
				rows = append(rows, craft.Row{1: int64(k), 2: fmt.Sprint("x", i)})
			}
			w.SetSpec([]craft.Field{{Source: 2, Name: "p", Transform: "identity"}, {Source: 1, Name: "q", Transform: "truncate[100]"}})
			w.Append(rows)
			if w.Version > 1 {
				w.DeletePositions(map[int][]int{0: {i}, w.Files() - 1: {1, 2, 5}})
			}
		}
		all = append(all, loadMemory(t, dir))
	}
	if data := os.Getenv("FORAY_DATA"); data != "" && data != "none" {
		for _, dir := range others(t) {
			all = append(all, loadMemory(t, dir))
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	read, vectors := 0, 0
	for range testlong.Rounds(50, 6_000) {
		m := all[rng.IntN(len(all))]
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(m)), func(n string) bool {
			return strings.HasSuffix(n, ".parquet") && !strings.HasSuffix(n, "-deletes.parquet")
		})
		name := names[rng.IntN(len(names))]
		damaged := maps.Clone(m)
		damaged[name] = mutated(rng, m[name])
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		rows, err := readAllOf(t.Context(), damaged)
		runtime.ReadMemStats(&after)
		fail := func(what any) {
			if err := os.WriteFile(filepath.Join(os.TempDir(), "damaged"), damaged[name], 0o666); err != nil {
				t.Log(err)
			}
			t.Fatalf("%s: %v (kept in %s)", name, what, os.TempDir())
		}
		if d := time.Since(start); d > 20*time.Second {
			fail(d)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 256<<20 {
			fail(n)
		}
		if err != nil {
			for _, word := range []string{"ocf: ", " avro: ", " json: ", "Go value", "cannot unmarshal", "reader schema func"} {
				if strings.Contains(err.Error(), word) {
					fail(fmt.Sprintf("%v has %q", err, word))
				}
			}
		}
		if err == nil {
			read++
		} else if !errors.Is(err, columnar.ErrCorrupt) && !errors.Is(err, columnar.ErrUnsupported) && !errors.Is(err, tables.ErrSnapshot) &&
			!errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errAmbiguous) {
			fail(err)
		}
		if strings.HasSuffix(name, ".puffin") {
			vectors++
			if want, whole := readAllOf(t.Context(), m); whole != nil {
				fail(whole)
			} else if err == nil && !reflect.DeepEqual(rows, want) {
				fail(fmt.Sprint(rows, want))
			}
		}
	}
	t.Logf("%d were read; %d deletion vectors were damaged", read, vectors)
}
