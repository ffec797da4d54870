// This file writes checkpoints of random Delta Lake tables.

package dataset

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/foray-graph/foray/io/arrow/internal/craft"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// checkpointColumns puts a checkpoint's columns together, an action at a time.
type checkpointColumns struct {
	rows  int
	nodes map[string]*craft.Node
}

// newCheckpoint makes the columns. Each of the outer structs is optional, and so is what
// is in it.
func newCheckpoint() (*checkpointColumns, []*craft.Node) {
	c := &checkpointColumns{nodes: map[string]*craft.Node{}}
	leaf := func(path string, typ int) *craft.Node {
		n := &craft.Node{Name: path[strings.LastIndexByte(path, '.')+1:], Repetition: 1, Type: typ, Def: []int{}}
		if typ == 6 {
			n.Logical = new(craft.Struct).Sub(1, new(craft.Struct))
		}
		c.nodes[path] = n
		return n
	}
	group := func(name string, children ...*craft.Node) *craft.Node {
		return &craft.Node{Name: name, Repetition: 1, Children: children}
	}
	mapOf := func(path string) *craft.Node {
		key, value := leaf(path+".key", 6), leaf(path+".value", 6)
		key.Repetition = 0
		return group(path[strings.LastIndexByte(path, '.')+1:], &craft.Node{Name: "key_value", Repetition: 2, Children: []*craft.Node{key, value}})
	}
	listOf := func(path string) *craft.Node {
		e := leaf(path+".element", 6)
		return group(path[strings.LastIndexByte(path, '.')+1:], &craft.Node{Name: "list", Repetition: 2, Children: []*craft.Node{e}})
	}
	return c, []*craft.Node{
		group("add", leaf("add.path", 6), mapOf("add.partitionValues"), leaf("add.size", 2), leaf("add.stats", 6),
			group("deletionVector", leaf("add.deletionVector.storageType", 6), leaf("add.deletionVector.pathOrInlineDv", 6), leaf("add.deletionVector.offset", 1),
				leaf("add.deletionVector.sizeInBytes", 1), leaf("add.deletionVector.cardinality", 2))),
		group("remove", leaf("remove.path", 6)),
		group("metaData", leaf("metaData.id", 6), group("format", leaf("metaData.format.provider", 6)), leaf("metaData.schemaString", 6),
			listOf("metaData.partitionColumns"), mapOf("metaData.configuration")),
		group("protocol", leaf("protocol.minReaderVersion", 1), listOf("protocol.readerFeatures")),
		group("sidecar", leaf("sidecar.path", 6), leaf("sidecar.sizeInBytes", 2)),
	}
}

// add adds an action.
func (c *checkpointColumns) add(action map[string]any) {
	c.rows++
	for _, path := range slices.Sorted(maps.Keys(c.nodes)) {
		n := c.nodes[path]
		names := strings.Split(path, ".")
		last := names[len(names)-1]
		repeated := last == "key" || last == "value" || last == "element"
		if repeated {
			names = names[:len(names)-1]
		}
		// How far down there is something.
		var at any = action
		depth := 0
		for _, name := range names {
			m, ok := at.(map[string]any)
			if !ok || m[name] == nil {
				at = nil
				break
			}
			at = m[name]
			depth++
		}
		if !repeated {
			if n.Def = append(n.Def, depth); at != nil {
				n.Values = append(n.Values, plainOf(n.Type, at))
			}
			continue
		}
		c.repeated(n, last, at, depth)
	}
}

// repeated adds the values of a list or map that is there to this depth.
func (c *checkpointColumns) repeated(n *craft.Node, last string, at any, depth int) {
	if at == nil {
		n.Rep, n.Def = append(n.Rep, 0), append(n.Def, depth)
		return
	}
	text, _ := json.Marshal(at)
	var list []string
	var m map[string]*string
	if last == "element" {
		_ = json.Unmarshal(text, &list)
		m = map[string]*string{}
		for i := range list {
			m[fmt.Sprint(1000+i)] = &list[i]
		}
	} else {
		_ = json.Unmarshal(text, &m)
	}
	if len(m) == 0 {
		n.Rep, n.Def = append(n.Rep, 0), append(n.Def, depth)
	}
	for i, key := range slices.Sorted(maps.Keys(m)) {
		rep, def, value := min(i, 1), depth+1, m[key]
		if last == "key" {
			value = &key
		} else if value != nil {
			def++
		}
		n.Rep, n.Def = append(n.Rep, rep), append(n.Def, def)
		if value != nil {
			n.Values = append(n.Values, craft.Plain(*value))
		}
	}
}

func plainOf(typ int, v any) []byte {
	if typ == 6 {
		return craft.Plain(fmt.Sprint(v))
	}
	var n int64
	fmt.Sscan(fmt.Sprint(v), &n)
	if typ == 1 {
		return binary.LittleEndian.AppendUint32(nil, uint32(n))
	}
	return binary.LittleEndian.AppendUint64(nil, uint64(n))
}

// checkpointFile returns a Parquet file of actions.
func (d *deltaTable) checkpointFile(actions []map[string]any) []byte {
	c, nodes := newCheckpoint()
	for _, a := range actions {
		c.add(a)
	}
	for _, n := range c.nodes {
		n.PageEntries, n.V2, n.Dictionary = d.r.IntN(10), d.r.IntN(2) == 0, d.r.IntN(3) == 0
	}
	return craft.Tree(int64(c.rows), nodes...)
}

// checkpoint writes a checkpoint of the newest version, of a random form.
func (d *deltaTable) checkpoint() {
	head := []map[string]any{{"protocol": d.protocol()}, {"metaData": d.metadata()}}
	var files []map[string]any
	for _, name := range slices.Sorted(maps.Keys(d.live)) {
		files = append(files, map[string]any{"add": d.live[name].action})
	}
	for _, f := range d.gone {
		if d.live[f.path] == nil {
			files = append(files, map[string]any{"remove": d.removal(f)})
		}
	}
	d.r.Shuffle(len(files), func(i, k int) { files[i], files[k] = files[k], files[i] })
	log := filepath.Join(d.dir, "_delta_log")
	name := fmt.Sprintf("%s/%020d.checkpoint", log, d.version-1)
	const id = "0a1b2c3d-0000-4000-8000-00000000000f"
	switch kind := d.r.IntN(4); kind {
	case 0:
		samples.WriteTo(d.t, name+".parquet", d.checkpointFile(append(head, files...)))
	case 1: // in parts
		parts := 1 + d.r.IntN(3)
		all := append(head, files...)
		for i := range parts {
			from, to := len(all)*i/parts, len(all)*(i+1)/parts
			samples.WriteTo(d.t, fmt.Sprintf("%s.%010d.%010d.parquet", name, i+1, parts), d.checkpointFile(all[from:to]))
		}
	default: // version 2, with sidecars
		to := d.r.IntN(len(files) + 1) // the others stand in the checkpoint itself
		for _, part := range [][]map[string]any{files[:to/2], files[to/2 : to]} {
			d.ids++
			side := fmt.Sprintf("side%d.parquet", d.ids)
			samples.WriteTo(d.t, filepath.Join(log, "_sidecars", side), d.checkpointFile(part))
			head = append(head, map[string]any{"sidecar": map[string]any{"path": side, "sizeInBytes": 1, "modificationTime": 1}})
		}
		head = append(head, files[to:]...)
		if kind == 2 {
			samples.WriteTo(d.t, name+"."+id+".parquet", d.checkpointFile(head))
			break
		}
		var lines []string
		for _, a := range append([]map[string]any{{"checkpointMetadata": map[string]any{"version": d.version - 1}}}, head...) {
			line, _ := json.Marshal(a)
			lines = append(lines, string(line))
		}
		samples.WriteTo(d.t, name+"."+id+".json", []byte(strings.Join(lines, "\n")+"\n"))
	}
	samples.WriteTo(d.t, filepath.Join(log, "_last_checkpoint"), []byte(`{"version":99999,"size":1}`)) // which the reader ignores
}

// cleanUp removes what is older than the newest version, which has a checkpoint.
func (d *deltaTable) cleanUp() {
	for v := d.first; v < d.version; v++ {
		if v < d.version-1 || d.r.IntN(2) == 0 {
			os.Remove(filepath.Join(d.dir, "_delta_log", fmt.Sprintf("%020d.json", v)))
		}
		if v < d.version-1 {
			d.rows[v] = nil
			old, _ := filepath.Glob(fmt.Sprintf("%s/_delta_log/%020d.checkpoint*", d.dir, v))
			for _, name := range old {
				os.Remove(name)
			}
		}
	}
	d.first = d.version - 1
}
