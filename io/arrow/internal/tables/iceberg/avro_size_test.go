// This file reads manifests whose schemas are small and expand to something large.

package iceberg

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// withField returns an Avro file of no rows with the schema of a manifest's entries and
// one more field, which readers leave out.
func withField(t *testing.T, more string) []byte {
	t.Helper()
	schema := `{"type":"record","name":"manifest_entry","fields":[{"name":"status","type":"int","field-id":0},{"name":"data_file","field-id":2,"type":{"type":"record","name":"r2","fields":[
	{"name":"path","type":"string","field-id":100},{"name":"file_format","type":"string","field-id":101},{"name":"partition","field-id":102,"type":{"type":"record","name":"r102","fields":[]}},{"name":"record_count","type":"long","field-id":103}]}},` + more + `]}`
	s, err := avro.Parse(schema)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := ocf.NewWriter(&out, s, ocf.WithSchema(schema))
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// doubled returns fields of records, each of which has that before it twice.
func doubled(leaf string, levels int) string {
	fields := []string{fmt.Sprintf(`{"name":"f0","type":{"type":"record","name":"r_0","fields":[{"name":"a","type":%s}]}}`, leaf)}
	for i := 1; i <= levels; i++ {
		fields = append(fields, fmt.Sprintf(`{"name":"f%d","type":{"type":"record","name":"r_%d","fields":[{"name":"a","type":"r_%d"},{"name":"b","type":"r_%d"}]}}`, i, i, i-1, i-1))
	}
	return strings.Join(fields, ",")
}

func TestExpandedSchemas(t *testing.T) {
	nested := func(levels int) string {
		return `{"name":"x","type":` + strings.Repeat(`{"type":"array","items":`, levels) + `"int"` + strings.Repeat("}", levels) + `}`
	}
	var forward []string // references stand before the definitions
	for i := range 15 {
		forward = append(forward, fmt.Sprintf(`{"name":"f%d","type":{"type":"record","name":"s.q%d","fields":[{"name":"a","type":"s.q%d"},{"name":"b","type":["null","s.q%d"]},{"name":"c","type":{"type":"map","values":"s.q%d"}}]}}`, i, i, i+1, i+1, i+1))
	}
	forward = append(forward, `{"name":"l","type":{"type":"record","name":"s.q15","fields":[{"name":"a","type":"int"}]}}`)
	for _, c := range []struct {
		name, more, want string
	}{
		{"doubled nulls", doubled(`"null"`, 9), "fields of type null"},
		{"doubled ints", doubled(`"int"`, 15), "expands to more than 20000 types"},
		{"doubled optional", doubled(`["null","string"]`, 15), "expands to more than 20000 types"},
		{"forward", strings.Join(forward, ","), "expands to more than 20000 types"},
		{"deep", nested(70), "nested more than 64 deep"},
		{"a few", doubled(`"null"`, 4), ""},
		{"some", doubled(`["null","string"]`, 8), ""},
		{"recursive", `{"name":"x","type":{"type":"record","name":"tree","fields":[{"name":"l","type":["null","tree"]},{"name":"r","type":{"type":"array","items":"tree"}}]}}`, ""},
		{"not too deep", nested(50), ""},
		{"long", `{"name":"x","type":"int","doc":"` + strings.Repeat("x", maxHead) + `"}`, "header takes more than 4"},
	} {
		r, err := openContainer(memoryFile{bytes.NewReader(withField(t, c.more))}, entryFields, tables.NewBudget(0))
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			r.close()
			continue
		}
		if !errors.Is(err, columnar.ErrUnsupported) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
