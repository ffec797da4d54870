package dataset

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/foray-graph/foray/io/arrow/internal/crafticeberg"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// TestOutsideMetadata: manifests of an Iceberg table that lie elsewhere are refused, or
// read and counted.
func TestOutsideMetadata(t *testing.T) {
	far, dir := t.TempDir(), t.TempDir()
	table := crafticeberg.New(far, []crafticeberg.Column{{ID: 1, Name: "src", Type: "long"}, {ID: 2, Name: "dst", Type: "long"}}, rand.New(rand.NewPCG(3, 1)), crafticeberg.Options{Version: 2, Plain: true})
	table.Append([]crafticeberg.Row{{1: int64(1), 2: int64(2)}})
	table.WriteMetadata()
	for path, outside := range map[string]bool{far: false, dir: true} {
		if outside { // the metadata alone, of a table whose location is here
			names, err := filepath.Glob(filepath.Join(far, "metadata", "*.metadata.json"))
			if err != nil || len(names) == 0 {
				t.Fatal(names, err)
			}
			b, err := os.ReadFile(names[len(names)-1])
			if err != nil {
				t.Fatal(err)
			}
			text := regexp.MustCompile(`"location":\s*"[^"]*"`).ReplaceAllString(string(b), `"location":"`+filepath.ToSlash(dir)+`"`)
			if err := os.MkdirAll(filepath.Join(dir, "metadata"), 0o777); err != nil {
				t.Fatal(err)
			}
			samples.WriteTo(t, filepath.Join(dir, "metadata", "v1.metadata.json"), []byte(text))
		}
		if _, err := Open(context.Background(), []string{path}, Options{}); outside != (errors.Is(err, input.ErrUnsupported) && strings.Contains(err.Error(), "Options.AllowOutside")) {
			t.Errorf("%s: %v", path, err)
		}
		got, d, err := collect(t, []string{path}, Options{AllowOutside: outside})
		if err != nil || len(got) != 1 {
			t.Fatalf("%v, %v", got, err)
		}
		s := d.Snapshots()[0]
		if outside && (s.OutsideMetadata != 2 || !strings.HasPrefix(s.OutsideMetadataFile, far) || s.Outside != 1) || !outside && s.OutsideMetadata+s.Outside != 0 {
			t.Errorf("%s: %+v", path, s)
		}
	}
	if _, err := Load(context.Background(), dir, Options{AllowOutside: true}); err != nil {
		t.Error(err)
	}
}
