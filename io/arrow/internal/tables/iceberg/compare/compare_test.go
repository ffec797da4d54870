package compare

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow/go/v15/arrow/memory"
	icefs "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
	"github.com/twmb/murmur3"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
	_ "github.com/foray-graph/foray/io/arrow/iceberg"
	craft "github.com/foray-graph/foray/io/arrow/internal/crafticeberg"
)

// theirs returns a table's rows as iceberg-go has them: values of each row by column, as
// text; "(null)" for nulls.
func theirs(ctx context.Context, metadata string, options ...table.ScanOption) ([]map[string]string, error) {
	open := func(context.Context) (icefs.IO, error) { return icefs.LocalFS{}, nil }
	t, err := table.NewFromLocation(ctx, table.Identifier{"t"}, metadata, open, nil)
	if err != nil {
		return nil, err
	}
	out, err := t.Scan(options...).ToArrowTable(ctx)
	if err != nil {
		return nil, err
	}
	defer out.Release()
	rows := make([]map[string]string, out.NumRows())
	for i := range rows {
		rows[i] = map[string]string{}
	}
	for c := range int(out.NumCols()) {
		at := 0
		for _, chunk := range out.Column(c).Data().Chunks() {
			for i := range chunk.Len() {
				text := chunk.ValueStr(i)
				if u, ok := chunk.(*extensions.UUIDArray); ok && !chunk.IsNull(i) {
					v := u.Value(i)
					text = base64.StdEncoding.EncodeToString(v[:])
				}
				rows[at][out.Schema().Field(c).Name] = text
				at++
			}
		}
	}
	return rows, nil
}

// ours returns a table's rows as this library has them: the properties of vertices whose
// ids are in a column, the first. id is one of them: a graph has an edge at least.
func ours(ctx context.Context, path, typ, id string, columns []string) ([]map[string]string, error) {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	edges := filepath.Join(dir, "edges.parquet")
	var v any = id
	switch typ {
	case "long":
		if v, err = strconv.ParseInt(id, 10, 64); err != nil {
			return nil, err
		}
	case "uuid":
		b, err := base64.StdEncoding.DecodeString(id)
		if err != nil {
			return nil, err
		}
		v = string(b)
	}
	one := craft.DataFile([]craft.Column{{ID: 1, Name: "src", Type: typ}, {ID: 2, Name: "dst", Type: typ}}, []craft.Row{{1: v, 2: v}}, false)
	if err := os.WriteFile(edges, one, 0o666); err != nil {
		return nil, err
	}
	vertices := arrow.VertexTable{Paths: []string{path}, ID: columns[0], Properties: columns}
	d, err := arrow.Open(ctx, []string{edges}, arrow.Options{Source: "src", Target: "dst", Vertices: &vertices})
	if err != nil {
		return nil, err
	}
	g, err := d.Load(ctx)
	if err != nil {
		return nil, err
	}
	p, err := d.Properties(ctx, g)
	if err != nil {
		return nil, err
	}
	all := make([]int, len(columns))
	for i := range all {
		all[i] = i
	}
	list := make([]uint32, g.NumVertices())
	for i := range list {
		list[i] = uint32(i)
	}
	r, err := p.Gather(ctx, all, list, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	rows := make([]map[string]string, r.NumRows())
	for i := range rows {
		rows[i] = map[string]string{}
		for c := range all {
			rows[i][r.ColumnName(c)] = r.Column(c).ValueStr(i)
		}
	}
	return rows, nil
}

func sorted(rows []map[string]string, columns []string) (all []string) {
	for _, r := range rows {
		var b bytes.Buffer
		for _, c := range columns {
			fmt.Fprintf(&b, "%s=%s ", c, r[c])
		}
		all = append(all, b.String())
	}
	slices.Sort(all)
	return all
}

// defaulted are columns of a table, most of which were added with defaults.
var defaulted = strings.Fields("col1 col_boolean col_integer col_long col_float col_double col_date col_timestamp col_timestamptz col_string col_uuid col_fixed col_binary")

// defaults are what its schema says.
const defaults = "col_boolean=true col_integer=342342 col_long=-9223372036854775808 col_float=0.34234 col_double=0.342343242342342 col_date=2003-10-20 " +
	"col_timestamp=1970-01-01 00:00:00.012345Z col_timestamptz=1970-01-01 00:00:00.012345Z col_string=HELLO col_uuid=95w+CWd8S72keT80nLeF5w== col_fixed=AQID/wM= col_binary=AQI= "

// tables were written by other engines. It has the type of the ids of their rows, columns that are compared,
// ids first, and the rows where iceberg-go 0.7.0 doesn't have them. It refuses defaults
// that aren't numbers, deletion vectors that aren't in a whole Puffin file, and ids of
// snapshots that aren't signed. Of columns that partitions have and files have not
// (partition_*, hive_*) it has nulls, or refuses them if they are required; the
// specification ("column projection") says that they have the partition's value.
var tables = map[string]struct {
	typ     string
	columns []string
	rows    []string
}{
	"iceberg_v1_deprecated":     {"long", []string{"id", "category", "amount"}, nil},
	"partition_time":            {"long", []string{"user_id", "event_type"}, []string{"user_id=12345 event_type=click ", "user_id=67890 event_type=purchase "}},
	"partition_bigint":          {"long", []string{"user_id", "partition_col", "event_type"}, []string{"user_id=12345 partition_col=9223372036854775807 event_type=click ", "user_id=67890 partition_col=-9223372036854775808 event_type=purchase "}},
	"partition_double":          {"long", []string{"user_id", "partition_col", "event_type"}, []string{"user_id=12345 partition_col=3.1415927 event_type=click ", "user_id=67890 partition_col=2.7182817 event_type=purchase "}},
	"partition_timestamptz":     {"long", []string{"user_id", "partition_col", "event_type"}, []string{"user_id=12345 partition_col=2023-05-15 14:30:45Z event_type=click ", "user_id=67890 partition_col=2023-08-22 09:15:20Z event_type=purchase "}},
	"partition_decimal_integer": {"long", []string{"user_id", "event_type"}, nil},
	"hive_partitioned_table": {"long", []string{"user_id", "event_date", "event_type"}, []string{"user_id=12345 event_date=2024-01-01 event_type=click ", "user_id=13579 event_date=2024-01-03 event_type=view ",
		"user_id=24680 event_date=2024-01-03 event_type=click ", "user_id=67890 event_date=2024-01-02 event_type=purchase ",
		"user_id=86420 event_date=2024-01-04 event_type=view ", "user_id=97531 event_date=2024-01-04 event_type=purchase "}},
	"name_mapping":      {"long", []string{"a", "b"}, nil},
	"expression_filter": {"long", []string{"id", "value"}, nil},
	"column_mapping":    {"long", []string{"id", "name", "age"}, nil},
	"uuid":              {"uuid", []string{"uuid"}, nil},
	"add_columns_with_defaults": {"string", defaulted, []string{
		"col1=click " + defaults, "col1=purchase " + defaults,
		"col1=test col_boolean=false col_integer=453243 col_long=328725092345834 col_float=23.34342 col_double=23.343424523423433 col_date=0011-03-05 " +
			"col_timestamp=0011-03-05 12:06:45Z col_timestamptz=2023-05-15 14:30:45Z col_string=World col_uuid=Ag1Px6zWRayyFnhz9AOOHw== col_fixed=gACAAIA= col_binary=gACA "}},
	"legacy_bare_deletion_vector":     {"long", []string{"id", "source"}, []string{"id=1 source=legacy ", "id=3 source=legacy "}},
	"equality_delete_cross_partition": {"string", []string{"val", "part", "key"}, []string{"val=p0-k999 part=0 key=999 ", "val=p1-k100 part=1 key=100 ", "val=p1-k888 part=1 key=888 "}},
}

// TestOthers: tables of others have the rows that iceberg-go reads.
func TestOthers(t *testing.T) {
	root := filepath.Join(os.Getenv("FORAY_DATA"), "tables", "iceberg")
	if _, err := os.Stat(root); err != nil || os.Getenv("FORAY_DATA") == "" {
		testlong.Missing(t, "data", "needs test data: set FORAY_DATA (CONTRIBUTING.md)")
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	// The location of the tables is data/persistent, from where iceberg-go reads them.
	work := t.TempDir()
	if err := os.Mkdir(filepath.Join(work, "data"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, filepath.Join(work, "data", "persistent")); err != nil {
		testlong.Without(t, "needs symbolic links", err)
	}
	t.Chdir(work)
	for _, e := range entries {
		t.Run(e.Name(), func(t *testing.T) {
			c, ok := tables[e.Name()]
			if !ok {
				t.Fatal("which columns are compared isn't said")
			}
			dir, metadata := "", ""
			filepath.WalkDir(filepath.Join("data", "persistent", e.Name()), func(p string, d fs.DirEntry, err error) error {
				if err == nil && d.Name() == "metadata" {
					dir = filepath.Dir(p)
				}
				return err
			})
			if metadata = current(t, dir); metadata == "" {
				t.Fatal("no metadata")
			}
			want := c.rows
			rows, err := theirs(t.Context(), metadata)
			switch {
			case want == nil && err != nil:
				t.Fatal(err)
			case want == nil:
				want = sorted(rows, c.columns)
			case err == nil && slices.Equal(sorted(rows, c.columns), want):
				t.Error("iceberg-go reads it now: its rows needn't stand here")
			}
			_, id, _ := strings.Cut(want[0], "=")
			id, _, _ = strings.Cut(id, " ")
			got, err := ours(t.Context(), filepath.Join(root, strings.TrimPrefix(dir, "data/persistent")), c.typ, id, c.columns)
			if err != nil {
				t.Fatal(err)
			}
			if got := sorted(got, c.columns); !slices.Equal(got, want) {
				t.Errorf("%.2000q\nwant %.2000q", got, want)
			}
		})
	}
}

// current returns the newest metadata file, by its name.
func current(t *testing.T, dir string) string {
	names, err := filepath.Glob(filepath.Join(dir, "metadata", "*.metadata.json"))
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(names, func(a, b string) int {
		if n := len(a) - len(b); n != 0 && filepath.Base(a)[0] == 'v' {
			return n
		}
		return strings.Compare(a, b)
	})
	if len(names) == 0 {
		return ""
	}
	// v3.1 and the like are no versions.
	names = slices.DeleteFunc(names, func(n string) bool { return strings.Count(filepath.Base(n), ".") > 2 })
	return names[len(names)-1]
}

// TestRandom: so have random ones, in each of their snapshots.
func TestRandom(t *testing.T) {
	compared, refused := 0, map[string]int{}
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 5))
		dir := filepath.Join(t.TempDir(), "table")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		w := craft.Random(rng, dir, craft.Options{Version: 1 + int(seed)%3, Plain: true, Hash: murmur3.Sum32})
		for _, s := range w.Snapshots {
			name := func(id int) string {
				columns := w.Schemas[s.Schema]
				return columns[slices.IndexFunc(columns, func(c craft.Column) bool { return c.ID == id })].Name
			}
			columns := []string{name(1), name(2), name(3)}
			rows, err := theirs(t.Context(), newest(t, dir), table.WithSnapshotID(s.ID))
			if err != nil {
				refused[err.Error()]++
				continue
			}
			d, err := arrow.Open(t.Context(), []string{dir}, arrow.Options{Snapshot: fmt.Sprint(s.ID), Source: columns[0], Target: columns[1], Weight: columns[2], Graph: graph.Options{Weights: true}})
			if err != nil {
				t.Fatal(err)
			}
			var got []map[string]string
			var mu sync.Mutex
			err = d.Read(t.Context(), func(b graph.Batch) error {
				mu.Lock()
				defer mu.Unlock()
				for i := range b.Src {
					got = append(got, map[string]string{columns[0]: fmt.Sprint(b.Src[i]), columns[1]: fmt.Sprint(b.Dst[i]), columns[2]: fmt.Sprint(b.FloatWeight(i))})
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := sorted(got, columns), sorted(rows, columns); !slices.Equal(got, want) {
				t.Errorf("seed %d: snapshot %d of %s:\n%v\nwant\n%v", seed, s.ID, dir, got, want)
			}
			compared++
		}
	}
	for _, text := range slices.Sorted(maps.Keys(refused)) {
		t.Logf("%d snapshots that iceberg-go doesn't read: %.300s", refused[text], text)
	}
	t.Logf("%d snapshots were compared", compared)
	if compared < 100 {
		t.Error("those are few")
	}
}

// newest returns the metadata file that was written last.
func newest(t *testing.T, dir string) string {
	names, err := filepath.Glob(filepath.Join(dir, "metadata", "*.metadata.json"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	slices.SortFunc(names, func(a, b string) int {
		x, _ := os.Stat(a)
		y, _ := os.Stat(b)
		return x.ModTime().Compare(y.ModTime())
	})
	return names[len(names)-1]
}
