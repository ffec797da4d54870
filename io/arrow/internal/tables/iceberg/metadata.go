// This file reads metadata files, which have a table's schemas, partition specs and
// snapshots.

package iceberg

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/limit"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// metadata is what is read of a metadata file. Members are named as the specification
// of the format has them.
type metadata struct {
	Version         int               `json:"format-version"`
	UUID            string            `json:"table-uuid"`
	Location        string            `json:"location"`
	Schema          *schema           `json:"schema"` // of version 1
	Schemas         []schema          `json:"schemas"`
	CurrentSchema   *int              `json:"current-schema-id"`
	Spec            []partitionField  `json:"partition-spec"` // of version 1
	Specs           []partitionSpec   `json:"partition-specs"`
	Properties      properties        `json:"properties"`
	CurrentSnapshot *snapshotID       `json:"current-snapshot-id"`
	Snapshots       []snapshot        `json:"snapshots"`
	Log             []logEntry        `json:"snapshot-log"`
	Refs            map[string]ref    `json:"refs"`
	Keys            []json.RawMessage `json:"encryption-keys"`
}

// properties are those that are read.
type properties struct {
	Mapping string `json:"schema.name-mapping.default"`
}

type schema struct {
	ID     int      `json:"schema-id"`
	Struct dataType `json:"-"`
}

// UnmarshalJSON reads a schema, which is a struct with an id.
func (s *schema) UnmarshalJSON(b []byte) error {
	var id struct {
		ID int `json:"schema-id"`
	}
	if err := json.Unmarshal(b, &id); err != nil {
		return err
	}
	s.ID = id.ID
	if err := json.Unmarshal(b, &s.Struct); err != nil {
		return err
	}
	if s.Struct.kind != structKind {
		return fmt.Errorf("a schema of type %.60q, which isn't a struct", s.Struct.name)
	}
	return nil
}

type partitionSpec struct {
	ID     int              `json:"spec-id"`
	Fields []partitionField `json:"fields"`
}

type partitionField struct {
	Source    int    `json:"source-id"`
	Sources   []int  `json:"source-ids"` // of transforms of several columns
	ID        int    `json:"field-id"`
	Name      string `json:"name"`
	Transform string `json:"transform"`
}

// snapshotID is a snapshot's id in decimal. Some writers take ids for unsigned numbers.
type snapshotID string

// number returns the id as manifests have it.
func (id snapshotID) number() int64 {
	if n, err := strconv.ParseInt(string(id), 10, 64); err == nil {
		return n
	}
	n, _ := strconv.ParseUint(string(id), 10, 64) // UnmarshalJSON has seen that it is one
	return int64(n)
}

// none is what old writers say where there is no current snapshot.
const none snapshotID = "-1"

// UnmarshalJSON reads a number.
func (id *snapshotID) UnmarshalJSON(b []byte) error {
	text := string(b)
	_, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		_, err = strconv.ParseUint(text, 10, 64)
	}
	if err != nil {
		return fmt.Errorf("%.60q is no id of a snapshot", text)
	}
	*id = snapshotID(text)
	return nil
}

type snapshot struct {
	ID           snapshotID  `json:"snapshot-id"`
	Parent       *snapshotID `json:"parent-snapshot-id"`
	Time         int64       `json:"timestamp-ms"`
	ManifestList string      `json:"manifest-list"`
	Manifests    []string    `json:"manifests"` // of version 1
	Schema       *int        `json:"schema-id"`
	Key          string      `json:"key-id"`
	Summary      struct {
		Operation string `json:"operation"`
	} `json:"summary"`
}

type logEntry struct {
	Snapshot snapshotID `json:"snapshot-id"`
	Time     int64      `json:"timestamp-ms"`
}

type ref struct {
	Snapshot snapshotID `json:"snapshot-id"`
	Type     string     `json:"type"`
}

// parseMetadata reads a metadata file, which may be compressed, and was counted as it is.
func parseMetadata(b []byte, budget *tables.Budget) (*metadata, error) {
	if bytes.HasPrefix(b, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, columnar.Corrupt("the metadata: %w", text.Plainly(err))
		}
		if b, err = budget.ReadAll(z); errors.Is(err, limit.Err) {
			return nil, err
		} else if err != nil {
			return nil, columnar.Corrupt("the metadata: %w", text.Plainly(err))
		}
	}
	if err := budget.CheckJSON(b); err != nil {
		return nil, err
	}
	// The version first: what another one has may be of other types.
	var version struct {
		Version *int `json:"format-version"`
	}
	if err := json.Unmarshal(b, &version); err != nil {
		return nil, columnar.Corrupt("the metadata: %w", text.Plainly(err))
	}
	switch v := version.Version; {
	case v == nil || *v < 1:
		return nil, columnar.Corrupt("the metadata has no format-version")
	case *v > 3:
		return nil, columnar.Unsupported("format version %d of Apache Iceberg, of which versions 1 to 3 are read", *v)
	}
	m := new(metadata)
	if err := json.Unmarshal(b, m); err != nil {
		return nil, columnar.Corrupt("the metadata: %w", text.Plainly(err))
	}
	return m, m.check()
}

// check looks for contradictions, and gives version 1 the members that later ones have.
func (m *metadata) check() error {
	if m.Location == "" {
		return columnar.Corrupt("the metadata has no location")
	}
	if len(m.Keys) > 0 {
		return columnar.Unsupported("the table is encrypted (encryption-keys)")
	}
	if len(m.Schemas) == 0 && m.Schema != nil {
		m.Schemas = []schema{*m.Schema}
		m.CurrentSchema = &m.Schema.ID
	}
	if len(m.Specs) == 0 {
		m.Specs = []partitionSpec{{Fields: m.Spec}}
	}
	seen := map[snapshotID]bool{}
	for i := range m.Snapshots {
		if id := m.Snapshots[i].ID; seen[id] {
			return columnar.Corrupt("the metadata has two snapshots %s", id)
		} else {
			seen[id] = true
		}
	}
	for _, s := range m.Schemas {
		if err := s.Struct.checkFields(map[int]bool{}, 0); err != nil {
			return err
		}
	}
	specs := map[int]bool{}
	for i := range m.Specs {
		s := &m.Specs[i]
		if specs[s.ID] {
			return columnar.Corrupt("the metadata has two partition specs %d", s.ID)
		}
		specs[s.ID] = true
		for k := range s.Fields {
			f := &s.Fields[k]
			if f.ID == 0 { // which version 1 may leave out
				f.ID = firstPartitionID + k
			}
			if f.Source == 0 && len(f.Sources) == 1 {
				f.Source = f.Sources[0]
			}
		}
	}
	return nil
}

// checkFields looks for ids and names that occur twice.
func (t *dataType) checkFields(seen map[int]bool, depth int) error {
	if depth > columnar.MaxDepth {
		return columnar.Unsupported("columns nested more than %d deep", columnar.MaxDepth)
	}
	names := map[string]bool{}
	for i := range t.fields {
		f := &t.fields[i]
		switch {
		case f.ID <= 0:
			return columnar.Corrupt("column %.60q has the field id %d", f.Name, f.ID)
		case seen[f.ID]:
			return columnar.Corrupt("two columns have the field id %d", f.ID)
		case names[f.Name]:
			return columnar.Corrupt("two columns are named %.60q", f.Name)
		case len(seen) >= maxFields:
			return columnar.Unsupported("a schema of more than %d columns", maxFields)
		}
		seen[f.ID], names[f.Name] = true, true
		if err := f.Type.checkFields(seen, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// schemaOf returns a schema by its id.
func (m *metadata) schemaOf(id *int) (*schema, error) {
	if id == nil && len(m.Schemas) == 1 {
		return &m.Schemas[0], nil
	}
	if id == nil {
		return nil, columnar.Corrupt("the metadata has no current-schema-id")
	}
	for i := range m.Schemas {
		if m.Schemas[i].ID == *id {
			return &m.Schemas[i], nil
		}
	}
	return nil, columnar.Corrupt("the metadata has no schema %d", *id)
}

// specOf returns a partition spec by its id.
func (m *metadata) specOf(id int) (*partitionSpec, error) {
	for i := range m.Specs {
		if m.Specs[i].ID == id {
			return &m.Specs[i], nil
		}
	}
	return nil, columnar.Corrupt("the metadata has no partition spec %d", id)
}

// snapshotOf returns a snapshot by its id, or nil.
func (m *metadata) snapshotOf(id snapshotID) *snapshot {
	for i := range m.Snapshots {
		if m.Snapshots[i].ID == id {
			return &m.Snapshots[i]
		}
	}
	return nil
}

// stamp returns the time that milliseconds since 1970 are.
func stamp(millis int64) time.Time { return time.UnixMilli(millis).UTC() }

// names returns the names that the table's property schema.name-mapping.default gives
// columns of files without field ids, by field id. It is nil without the property.
func (m *metadata) names(budget *tables.Budget) (map[int][]string, error) {
	mapping := m.Properties.Mapping
	if strings.TrimSpace(mapping) == "" {
		return nil, nil
	}
	if err := budget.CheckJSON([]byte(mapping)); err != nil {
		return nil, fmt.Errorf("schema.name-mapping.default: %w", err)
	}
	type mapped struct {
		ID     *int              `json:"field-id"`
		Names  []string          `json:"names"`
		Fields []json.RawMessage `json:"fields"`
	}
	byID := map[int][]string{}
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(mapping), &list); err != nil {
		return nil, columnar.Corrupt("schema.name-mapping.default: %w", text.Plainly(err))
	}
	for len(list) > 0 {
		var f mapped
		if err := json.Unmarshal(list[0], &f); err != nil {
			return nil, columnar.Corrupt("schema.name-mapping.default: %w", text.Plainly(err))
		}
		list = append(list[1:], f.Fields...)
		if f.ID != nil {
			byID[*f.ID] = append(byID[*f.ID], f.Names...)
		}
	}
	return byID, nil
}
