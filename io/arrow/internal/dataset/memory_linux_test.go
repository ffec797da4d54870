// This file measures the memory of loading, in a separate process.

package dataset

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// loadCase is what TestLoadChild loads, and loadUse what that took.
type loadCase struct {
	Path    string
	Limit   uint64
	TwoPass bool
	Workers int
}

type loadUse struct {
	Refused bool
	Taken   uint64 // at most, beside what there was before
}

const loadCaseVariable = "FORAY_TEST_LOAD_CASE"

func TestLoadChild(t *testing.T) {
	var c loadCase
	if err := json.Unmarshal([]byte(os.Getenv(loadCaseVariable)), &c); err != nil {
		t.Skip("only runs as the process that TestLimitCoversLoading starts")
	}
	before := memoryOf(t, "VmRSS:")
	g, err := Load(context.Background(), c.Path, Options{Workers: c.Workers, TwoPass: c.TwoPass, Graph: graph.Options{MemoryLimit: c.Limit}})
	if err != nil && !errors.Is(err, device.ErrMemory) {
		t.Fatal(err)
	}
	if g != nil {
		defer g.Close()
	}
	text, err := json.Marshal(loadUse{g == nil, memoryOf(t, "VmHWM:") - before})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("\nUSE %s\n", text)
}

// memoryOf returns a line of /proc/self/status in bytes.
func memoryOf(t *testing.T, key string) uint64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(data, []byte(key))
	kib, err := strconv.ParseUint(string(bytes.Fields(rest)[0]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

// load loads in a separate process.
func (c loadCase) load(t *testing.T) (use loadUse) {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestLoadChild$")
	cmd.Env = append(os.Environ(), loadCaseVariable+"="+string(text), "GOGC=100", "GOMEMLIMIT=off", "GOMAXPROCS=4")
	out, err := cmd.CombinedOutput()
	_, line, ok := strings.Cut(string(out), "USE ")
	line, _, _ = strings.Cut(line, "\n")
	if err != nil || !ok || json.Unmarshal([]byte(line), &use) != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return use
}

// TestLimitCoversLoading: with Graph.MemoryLimit a whole load takes no more than that and a tenth, or is
// refused and has taken no more either: buffers, decoding, the id map and building together.
func TestLimitCoversLoading(t *testing.T) {
	testlong.Only(t)
	if samples.Raced {
		t.Skip("needs a build without -race, whose detector takes several times the memory")
	}
	dir := t.TempDir()
	const rows = 600_000
	words := func(seed int) []parquet.ByteArray {
		all := make([]parquet.ByteArray, rows)
		for i := range all {
			all[i] = parquet.ByteArray(fmt.Sprintf("user-%030d", (i*seed+i/7)%120_000))
		}
		return all
	}
	texts := filepath.Join(dir, "texts.parquet")
	samples.WriteTo(t, texts, samples.WriteParquet(t, rows, rows/4, []samples.ParquetColumn{
		{Node: samples.Node(t, "src", false, schema.StringLogicalType{}, parquet.Types.ByteArray, 0), Values: words(7919)},
		{Node: samples.Node(t, "dst", false, schema.StringLogicalType{}, parquet.Types.ByteArray, 0), Values: words(104729)},
	}))
	numbers := filepath.Join(dir, "numbers.parquet")
	data, _, _ := edgesFile(t, 2_000_000, 250_000)
	samples.WriteTo(t, numbers, data)
	for _, path := range []string{texts, numbers} {
		for _, two := range []bool{false, true} {
			loaded := false
			for _, mb := range []uint64{24, 36, 48, 64, 80, 120} {
				c := loadCase{Path: path, Limit: mb << 20, TwoPass: two, Workers: 4}
				use := c.load(t)
				loaded = loaded || !use.Refused
				t.Logf("%s, two passes %t, limit %d MiB: %.1f taken, refused %t", filepath.Base(path), two, mb, float64(use.Taken)/(1<<20), use.Refused)
				if use.Taken > c.Limit+c.Limit/10 {
					t.Errorf("%s, two passes %t: %d bytes taken, the limit is %d", filepath.Base(path), two, use.Taken, c.Limit)
				}
			}
			if !loaded {
				t.Errorf("%s, two passes %t: never loaded", filepath.Base(path), two)
			}
		}
	}
}
