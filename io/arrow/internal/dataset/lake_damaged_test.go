// This file reads damaged Delta Lake tables: whatever is in a log, a checkpoint or a
// deletion vector, reading ends, without a panic, and what checksums guard is right.

package dataset

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// metadataFiles returns the files of a table that aren't data.
func metadataFiles(t testing.TB, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (strings.Contains(name, "_delta_log") || strings.HasSuffix(name, ".bin")) {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// damaged changes a file's bytes: bits, numbers, pieces that go, come twice or come from
// elsewhere, or an end that is missing.
func damaged(r *rand.Rand, data []byte) []byte {
	data = slices.Clone(data)
	if len(data) == 0 {
		return []byte{byte(r.Uint32())}
	}
	for range 1 + r.IntN(3) {
		at := r.IntN(len(data))
		to := min(len(data), at+1+r.IntN(40))
		switch r.IntN(8) {
		case 0:
			data[at] ^= 1 << r.IntN(8)
		case 1:
			data[at] = byte(r.Uint32())
		case 2:
			data = slices.Delete(data, at, to)
		case 3:
			data = slices.Insert(data, at, data[at:to]...)
		case 4:
			data = data[:at]
		case 5: // of a number in text
			for i := at; i < len(data); i++ {
				if data[i] >= '0' && data[i] <= '9' {
					data = slices.Replace(data, i, i+1, []byte([]string{"-1", "9999999999999999999", "0", "1e9", "null", `"x"`}[r.IntN(6)])...)
					break
				}
			}
		case 6:
			copy(data[at:to], data[r.IntN(len(data)):])
		default:
			for i := at; i < to; i++ {
				data[i] = 0xff
			}
		}
		if len(data) == 0 {
			return data
		}
	}
	return data
}

// noPanic wants no error that a panic was made of.
func noPanic(t *testing.T, name string, err error) {
	t.Helper()
	if err != nil && strings.Contains(err.Error(), "decoding failed") {
		t.Errorf("%s: %v", name, err)
	}
}

// TestDeltaDamaged reads random tables with a damaged file each.
func TestDeltaDamaged(t *testing.T) {
	rounds := testlong.Rounds(50, 1_500)
	slowest := time.Duration(0)
	read, failed := 0, 0
	for seed := uint64(0); read+failed < rounds; seed++ {
		r := rand.New(rand.NewPCG(seed, 39))
		d := randomDelta(t, r, t.TempDir())
		files := metadataFiles(t, d.dir)
		for range 40 {
			name := files[r.IntN(len(files))]
			was, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			samples.WriteTo(t, name, damaged(r, was))
			start := time.Now()
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			_, _, err = allRows(ctx, []string{d.dir}, Options{Where: []string{"", "src < 5", "dst is null"}[r.IntN(3)]})
			if ctx.Err() != nil {
				t.Fatalf("seed %d: %s takes too long: %v", seed, name, err)
			}
			cancel()
			noPanic(t, name, err)
			slowest = max(slowest, time.Since(start))
			if err != nil {
				failed++
			} else {
				read++
			}
			// Deletion vectors have checksums.
			if strings.HasSuffix(name, ".bin") && err == nil {
				all, _, err := allRows(context.Background(), []string{d.dir}, Options{})
				if want := d.rows[d.version-1]; err == nil && !slices.Equal(all, want) {
					t.Fatalf("seed %d: %s: %d rows, want %d", seed, name, len(all), len(want))
				}
			}
			samples.WriteTo(t, name, was)
		}
	}
	t.Logf("%d were read and %d refused; the slowest took %v", read, failed, slowest)
	if failed < rounds/10 {
		t.Errorf("only %d of %d were refused", failed, rounds)
	}
}

// TestDeltaSamplesDamaged reads tables that others wrote, with a damaged file each.
func TestDeltaSamplesDamaged(t *testing.T) {
	top := sampleTables(t, "delta")
	tables, err := os.ReadDir(top)
	if err != nil {
		t.Fatal(err)
	}
	rounds := testlong.Rounds(33, 1_500)
	r := rand.New(rand.NewPCG(5, 40))
	for _, table := range tables {
		dir := filepath.Join(t.TempDir(), table.Name())
		if err := os.CopyFS(dir, os.DirFS(filepath.Join(top, table.Name()))); err != nil {
			t.Fatal(err)
		}
		files := metadataFiles(t, dir)
		want, _, wantErr := allRows(context.Background(), []string{dir}, Options{})
		for range rounds / len(tables) {
			name := files[r.IntN(len(files))]
			if err := os.Chmod(name, 0o666); err != nil {
				t.Fatal(err)
			}
			was, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			samples.WriteTo(t, name, damaged(r, was))
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			got, _, err := allRows(ctx, []string{dir}, Options{})
			if ctx.Err() != nil {
				t.Fatalf("%s takes too long: %v", name, err)
			}
			cancel()
			noPanic(t, name, err)
			// Checksums of the commits count the files.
			if strings.HasSuffix(name, ".crc") && err == nil && wantErr == nil && !slices.Equal(got, want) {
				t.Errorf("%s: %d rows, want %d", name, len(got), len(want))
			}
			samples.WriteTo(t, name, was)
		}
	}
}
