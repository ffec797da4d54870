// This file tests that a process that is killed while it writes leaves nothing
// that is seen.

package write

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// TestKilled ends a process in the middle of writing: nothing is to be seen, and
// another run writes all.
func TestKilled(t *testing.T) {
	testlong.Only(t)
	t.Parallel()
	if path := os.Getenv("FORAY_TEST_KILLED"); path != "" {
		writeUntilKilled(t, path)
		return
	}
	for _, name := range []string{"r.parquet", "r.arrow", "r.csv", "partitions"} {
		for _, before := range []bool{false, true} {
			dir := t.TempDir()
			path := filepath.Join(dir, name)
			g, r, o := killedResult(t, name)
			first := samples.TestResult{DepthList: make([]int32, len(r.DepthList))}
			if before {
				if err := WriteResult(context.Background(), path, g, first, o); err != nil {
					t.Fatal(err)
				}
			}
			was := visible(t, dir)
			cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
			cmd.Env = append(os.Environ(), "FORAY_TEST_KILLED="+path)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(out, make([]byte, 1)); err != nil { // it is in the middle now
				t.Fatal(err)
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // reports that it was killed
			if is := visible(t, dir); !slices.Equal(is, was) {
				t.Errorf("%s: after the kill there is %q, before there was %q", name, is, was)
			}
			if err := WriteResult(context.Background(), path, g, r, o); err != nil {
				t.Fatal(err)
			}
			if is := visible(t, dir); slices.Equal(is, was) || len(is) == 0 {
				t.Errorf("%s: after another run there is %q", name, is)
			}
		}
	}
}

func killedResult(t *testing.T, name string) (*graph.Graph, samples.TestResult, WriteOptions) {
	g, r := largeResult(t, rand.New(rand.NewPCG(67, 68)))
	for v := range r.DepthList {
		r.DepthList[v] %= 3
	}
	if name == "partitions" {
		return g, r, WriteOptions{PartitionBy: "depth", Overwrite: true}
	}
	return g, r, WriteOptions{}
}

// visible lists what isn't hidden, with sizes.
func visible(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.HasPrefix(e.Name(), ".") {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := e.Info()
		if err == nil && !e.IsDir() {
			names = append(names, fmt.Sprintf("%s %d", p, info.Size()))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// stuck is an output that blocks after some bytes.
type stuck struct {
	Output
	room *int
}

func (s stuck) Write(p []byte) (int, error) {
	if *s.room -= len(p); *s.room < 0 {
		n, err := s.Output.Write(p[:len(p)/2])
		if err != nil {
			return n, err
		}
		os.Stdout.Write([]byte{'.'})
		time.Sleep(time.Hour)
	}
	return s.Output.Write(p)
}

func writeUntilKilled(t *testing.T, path string) {
	g, r, o := killedResult(t, filepath.Base(path))
	room := 700_000
	err := writeResult(context.Background(), path, g, r, o, func(ctx context.Context, s *WriteSpec) (Output, error) {
		out, err := OpenOutput(ctx, s)
		return stuck{out, &room}, err
	})
	t.Fatal("it was not killed:", err)
}
