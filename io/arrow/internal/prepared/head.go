// This file holds the metadata of a prepared graph's file, and the check that
// nothing of it, nor of where its arrays are, was changed.

package prepared

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/zeebo/xxh3"
)

// GraphVersion is the latest version of the format of prepared graphs. All versions up to it
// are read. A graph is written in the oldest version that supports it, so that older builds
// can read as many files as possible: 6 with columns of vertices, 5 with columns of edges, 4 with weights that need 64 bits, 3 with kinds of
// vertices, 2 with edge ids, else 1.
const GraphVersion = 6

// versionWideWeights is the first version that has weights of 64 bits.
const versionWideWeights = 4

// versionEdgeIDs is the first version that has edge ids.
const versionEdgeIDs = 2

// versionKinds is the first version whose vertices may have kinds.
const versionKinds = 3

// The keys of the metadata.
const (
	keyVersion    = "foray.version"
	keyVertices   = "foray.vertices"
	keyEntries    = "foray.entries" // of the CSR
	keyDirected   = "foray.directed"
	keyOrder      = "foray.order"
	keyIDType     = "foray.id_type"
	keyLogical    = "foray.id_logical" // graph.IDs.Logical; missing where it is empty
	keyInputEdges = "foray.input_edges"
	keyWeights    = "foray.weight_type" // graph.WeightType; missing where there are none, and in older files: float64
	keySelfLoops  = "foray.self_loops"
	keyCombined   = "foray.combined" // of graphs whose parallel edges have other weights than the smallest ones
	keyDuplicates = "foray.duplicates"
	keyTables     = "foray.tables" // JSON of storedTable; missing where there are none
	keyByteOrder  = "foray.byte_order"
	// keySum and the name of an array, such as out.targets: its checksum.
	keySum = "foray.xxh3."
	// keyCheck is the checksum of all the rest.
	keyCheck = "foray.check"
)

const (
	storedByteOrder = "little"
)

// storedHead is the metadata of the graph.
type storedHead struct {
	version           int
	vertices, entries uint64
	directed          bool
	order             graph.Order
	idType            graph.IDType
	logical           string
	stats             graph.BuildStats
	weights           graph.WeightType
	tables            []storedTable
	edges, values     []storedColumnInfo // columns of edges and of vertices
}

// storedTable is a snapshot of a table that has the graph's edges.
type storedTable struct {
	Path   string    `json:"path"`
	Format string    `json:"format"`
	Name   string    `json:"name"`
	ID     string    `json:"id"`
	Table  string    `json:"table,omitempty"` // TableSnapshot.TableID; older builds didn't keep it
	Time   time.Time `json:"time,omitzero"`
	Where  string    `json:"where,omitempty"`
}

// setTables takes over what is kept of snapshots.
func (h *storedHead) setTables(all []input.TableSnapshot) {
	for _, t := range all {
		h.tables = append(h.tables, storedTable{location.Redact(t.Path), t.Format, t.Name, t.ID, t.TableID, t.Time.UTC(), t.Where})
	}
}

// tellTables fills in OpenGraphOptions.Tables.
func (h *storedHead) tellTables(o *OpenGraphOptions) {
	if o.Tables == nil {
		return
	}
	*o.Tables = nil
	for _, t := range h.tables {
		*o.Tables = append(*o.Tables, input.TableSnapshot{Path: t.Path, Format: t.Format, Name: t.Name, TableID: t.Table, ID: t.ID, Time: t.Time, Where: t.Where})
	}
}

// metadata returns the keys and values, the check too.
func (s *storedGraph) metadata() map[string]string {
	kv := map[string]string{
		input.KeyFormat: input.StoredFormat,
		keyVersion:      strconv.Itoa(s.version),
		keyByteOrder:    storedByteOrder,
		keyVertices:     strconv.FormatUint(s.vertices, 10),
		keyEntries:      strconv.FormatUint(s.entries, 10),
		keyDirected:     strconv.FormatBool(s.directed),
		keyOrder:        s.order.String(),
		keyIDType:       s.idType.String(),
		keyInputEdges:   strconv.FormatUint(s.stats.InputEdges, 10),
		keySelfLoops:    strconv.FormatUint(s.stats.SelfLoops, 10),
		keyDuplicates:   strconv.FormatUint(s.stats.Duplicates, 10),
	}
	if s.weights != graph.WeightsAuto {
		kv[keyWeights] = s.weights.String()
	}
	if s.logical != "" {
		kv[keyLogical] = s.logical
	}
	if s.stats.Combined != graph.CombineMin {
		kv[keyCombined] = s.stats.Combined.String()
	}
	if len(s.tables) > 0 {
		b, _ := json.Marshal(s.tables) // of strings and times
		kv[keyTables] = string(b)
	}
	if len(s.edges) > 0 {
		b, _ := json.Marshal(s.edges)
		kv[keyColumns] = string(b)
	}
	if len(s.values) > 0 {
		b, _ := json.Marshal(s.values)
		kv[keyVertexColumns] = string(b)
	}
	for _, a := range s.arrays() {
		kv[keySum+a.name] = sumText(a.sum)
	}
	kv[keyCheck] = s.check(kv)
	return kv
}

func sumText(sum uint64) string { return fmt.Sprintf("%016x", sum) }

// check is a checksum of all trusted metadata and the layout: every key but its own, the
// columns, and where their buffers are.
func (s *storedGraph) check(kv map[string]string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(kv)) {
		if key != keyCheck {
			fmt.Fprintf(&b, "%q %q\n", key, kv[key])
		}
	}
	for _, c := range s.columns {
		fmt.Fprintf(&b, "%q %q %d\n", c.name, storedTypes[c.kind], c.nodes)
		for _, a := range c.arrays {
			fmt.Fprintf(&b, "%q %d %d\n", a.name, a.at, a.size)
		}
	}
	return sumText(xxh3.HashString(b.String()))
}

// readHead reads the metadata of a prepared graph.
func readHead(kv map[string]string) (h storedHead, err error) {
	version, verr := strconv.Atoi(kv[keyVersion])
	switch {
	case verr != nil || version < 1:
		return h, columnar.Corrupt("metadata %s is %.100q", keyVersion, kv[keyVersion])
	case version > GraphVersion:
		return h, columnar.Unsupported("a prepared graph of format version %d; this build reads up to %d: read it with a newer Foray, or prepare the graph again", version, GraphVersion)
	case kv[keyByteOrder] != storedByteOrder:
		return h, columnar.Unsupported("a prepared graph of byte order %.100q; only %s-endian ones are read", kv[keyByteOrder], storedByteOrder)
	}
	h.version = version
	number := func(key string) uint64 {
		x, e := strconv.ParseUint(kv[key], 10, 64)
		if e != nil && err == nil {
			err = columnar.Corrupt("metadata %s is %.100q", key, kv[key])
		}
		return x
	}
	h.vertices, h.entries = number(keyVertices), number(keyEntries)
	h.stats = graph.BuildStats{InputEdges: number(keyInputEdges), SelfLoops: number(keySelfLoops), Duplicates: number(keyDuplicates)}
	if by, ok := kv[keyCombined]; ok && err == nil {
		if h.stats.Combined, err = graph.Parse[graph.Combine](by); err != nil {
			err = columnar.Corrupt("metadata %s is %.100q", keyCombined, by)
		}
	}
	if err != nil {
		return h, err
	}
	if h.vertices > uint64(graph.NoVertex) || h.entries > 1<<56 {
		return h, columnar.Corrupt("%d vertices and %d entries are not plausible", h.vertices, h.entries)
	}
	if name, ok := kv[keyWeights]; ok {
		if h.weights, err = graph.Parse[graph.WeightType](name); err != nil {
			return h, columnar.Corrupt("metadata %s is %.100q", keyWeights, name)
		}
	}
	if h.directed, err = strconv.ParseBool(kv[keyDirected]); err != nil {
		return h, columnar.Corrupt("metadata %s is %.100q", keyDirected, kv[keyDirected])
	}
	if h.order, err = graph.Parse[graph.Order](kv[keyOrder]); err != nil || h.order == graph.OrderAuto {
		return h, columnar.Corrupt("metadata %s is %.100q", keyOrder, kv[keyOrder])
	}
	if text := kv[keyTables]; text != "" {
		if err := json.Unmarshal([]byte(text), &h.tables); err != nil {
			return h, columnar.Corrupt("metadata %s is %.100q", keyTables, text)
		}
	}
	if err := h.readColumns(kv); err != nil {
		return h, err
	}
	for t := graph.Int64; t <= graph.Binary; t++ {
		if kv[keyIDType] == t.String() {
			h.idType, h.logical = t, kv[keyLogical]
			if strings.HasPrefix(h.logical, "kinds(") && version < versionKinds {
				return h, columnar.Corrupt("kinds of vertices in format version %d; they are of %d", version, versionKinds)
			}
			return h, nil
		}
	}
	return h, columnar.Corrupt("metadata %s is %.100q", keyIDType, kv[keyIDType])
}
