// This file reads manifests and their lists, which are Avro object container files.

package iceberg

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/limit"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// wanted is a field of records that are read.
type wanted struct {
	id       int    // the field's id, by which it is found: writers may name it as they like
	name     string // what the specification names it, and the struct that it is decoded into
	required bool
	below    []wanted // of records, and of arrays of records
	raw      bool     // everything below it is wanted, without logical types
}

// container reads the records of an Avro file.
type container struct {
	r     *ocf.Reader
	alone func() // ends the turn of a large file, unless it is nil
}

// openContainer reads the head of a file, whose records have the fields that are wanted.
func openContainer(f tables.File, fields []wanted, budget *tables.Budget) (_ *container, err error) {
	var turn func()
	if f.Size() > alone {
		budget.Turn()
		turn = budget.GiveBack
		defer func() {
			if err != nil {
				turn()
			}
		}()
	}
	in := &headReader{Reader: bufio.NewReaderSize(io.NewSectionReader(f, 0, f.Size()), 64<<10), left: maxHead}
	const magic = "Obj\x01"
	if begin, err := in.Peek(len(magic)); err == nil && string(begin) != magic { // which is not for the error
		return nil, columnar.Corrupt("it isn't Avro")
	}
	var r *ocf.Reader
	err = columnar.Guard(func() (err error) {
		r, err = newReader(in, fields, f.Size(), budget)
		return err
	})
	if err != nil {
		return nil, damaged(err)
	}
	in.left = -1
	return &container{r: r, alone: turn}, nil
}

// headReader refuses to read more than so many bytes, unless left is below 0.
type headReader struct {
	*bufio.Reader
	left int
}

func (r *headReader) Read(p []byte) (int, error) {
	if r.left < 0 {
		return r.Reader.Read(p)
	}
	if r.left == 0 {
		return 0, columnar.Unsupported("an Avro file whose header takes more than %s", text.Bytes(maxHead))
	}
	n, err := r.Reader.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}

func newReader(in io.Reader, fields []wanted, size int64, budget *tables.Budget) (*ocf.Reader, error) {
	// Partition fields have the names of columns, which may be anything.
	lax := avro.WithLaxNames(func(string) error { return nil })
	options := []ocf.ReaderOpt{ocf.WithMaxBlockBytes(min(size, budget.Limit())), ocf.WithMaxDecompressedBlockBytes(budget.Limit()), ocf.WithSchemaOpts(lax)}
	for _, c := range codecs(budget, size) {
		c.held = size > alone
		options = append(options, ocf.WithCodec(c))
	}
	var refused error // without the library's words around it
	options = append(options,
		ocf.WithReaderSchemaFunc(func(r *ocf.Reader) (*avro.Schema, error) {
			root := *r.Schema().Root()
			if root.Type != "record" {
				refused = columnar.Corrupt("its rows are of type %.60q, which is no record", root.Type)
			} else if refused = checkSize(&root); refused == nil {
				refused = choose(&root, fields)
			}
			if refused != nil {
				return nil, refused
			}
			return root.Schema(lax)
		}))
	r, err := ocf.NewReader(in, options...)
	if refused != nil {
		return nil, refused
	}
	return r, err
}

// checkSize refuses a schema that is too large once each name stands for the whole of its
// definition, as it does in a decoder: a schema of a few kilobytes may double at each level.
func checkSize(root *avro.SchemaNode) error {
	e := expansion{defined: map[string]*avro.SchemaNode{}, known: map[string]size{}}
	e.define(root)
	total := e.of(root, 0)
	switch {
	case e.depth > maxAvroDepth:
		return columnar.Unsupported("an Avro schema nested more than %d deep", maxAvroDepth)
	case total.nodes > maxAvroNodes:
		return columnar.Unsupported("an Avro schema that expands to more than %d types", maxAvroNodes)
	case total.empty > maxAvroEmpty:
		return columnar.Unsupported("an Avro schema that expands to more than %d fields of type null", maxAvroEmpty)
	}
	return nil
}

// size is how many types a type expands to, and how many of them are null outside of unions,
// whose values take no bytes of a file.
type size struct{ nodes, empty int }

// expansion adds up the sizes of types. Sizes stop at one above their limits.
type expansion struct {
	defined map[string]*avro.SchemaNode
	known   map[string]size // of definitions, by name; zero while one is added up
	depth   int
}

// names are those by which a definition may be referred to. Two definitions of one short
// name in different namespaces share the larger size.
func names(n *avro.SchemaNode) []string {
	short := n.Name[strings.LastIndexByte(n.Name, '.')+1:]
	if n.Namespace != "" {
		return []string{short, n.Name, n.Namespace + "." + n.Name}
	}
	return []string{short, n.Name}
}

// below calls f with the types right below a type.
func below(n *avro.SchemaNode, f func(*avro.SchemaNode)) {
	for i := range n.Fields {
		f(&n.Fields[i].Type)
	}
	for i := range n.Branches {
		f(&n.Branches[i])
	}
	if n.Items != nil {
		f(n.Items)
	}
	if n.Values != nil {
		f(n.Values)
	}
}

// define collects the definitions.
func (e *expansion) define(n *avro.SchemaNode) {
	if n.Name != "" {
		for _, name := range names(n) {
			if e.defined[name] == nil {
				e.defined[name] = n
			}
		}
	}
	below(n, e.define)
}

// of returns the size of a type that lies so deep.
func (e *expansion) of(n *avro.SchemaNode, depth int) (total size) {
	if e.depth = max(e.depth, depth); depth > maxAvroDepth {
		return total
	}
	if n.Name == "" && e.defined[n.Type] != nil {
		if s, ok := e.known[n.Type]; ok {
			return s
		}
		n = e.defined[n.Type]
	}
	if n.Name != "" {
		for _, name := range names(n) {
			e.known[name] = size{nodes: 1} // what refers to itself takes bytes of the file each time
		}
	}
	total.nodes = 1
	if n.Type == "null" {
		total.empty = 1
	}
	below(n, func(b *avro.SchemaNode) {
		s := e.of(b, depth+1)
		total.nodes = min(total.nodes+s.nodes, maxAvroNodes+1)
		if n.Type == "record" || n.Type == "error" {
			total.empty = min(total.empty+s.empty, maxAvroEmpty+1)
		} else {
			total.empty = max(total.empty, s.empty)
		}
	})
	if n.Type == "union" { // a branch's number takes a byte
		total.empty = max(total.empty-1, 0)
	}
	if n.Name != "" {
		for _, name := range names(n) {
			e.known[name] = size{max(e.known[name].nodes, total.nodes), max(e.known[name].empty, total.empty)}
		}
	}
	return total
}

// damaged blames the file for an error, unless the error already has a kind.
func damaged(err error) error {
	if errors.Is(err, columnar.ErrCorrupt) || errors.Is(err, columnar.ErrUnsupported) || errors.Is(err, limit.Err) {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return columnar.Corrupt("it ends too early")
	}
	var field *avro.SemanticError
	if errors.As(err, &field) {
		return columnar.Corrupt("its field %.100q is of type %.60q, which isn't as Iceberg has it", field.Field, field.AvroType)
	}
	return columnar.Corrupt("it can't be read as Avro: %w", text.Plainly(err))
}

// choose makes the writer's schema of a record the one that is read: with the fields that
// are wanted alone, under the names that the specification has for them.
func choose(record *avro.SchemaNode, fields []wanted) error {
	var kept []avro.SchemaField
	for _, w := range fields {
		at := slices.IndexFunc(record.Fields, func(f avro.SchemaField) bool { return fieldID(f.Props) == w.id })
		if at < 0 { // some writers leave the ids out
			at = slices.IndexFunc(record.Fields, func(f avro.SchemaField) bool { return f.Name == w.name && fieldID(f.Props) < 0 })
		}
		if at < 0 {
			if w.required {
				return columnar.Corrupt("its records have no field %s (field id %d)", w.name, w.id)
			}
			continue
		}
		f := record.Fields[at]
		if f.Name != w.name {
			f.Aliases, f.Name = []string{f.Name}, w.name
		}
		f.Default, f.HasDefault, f.Props = nil, false, nil
		var err error
		switch {
		case w.raw:
			plainTypes(&f.Type, 0)
		case w.below != nil:
			err = chooseBelow(&f.Type, w)
		}
		if err != nil {
			return err
		}
		kept = append(kept, f)
	}
	record.Fields = kept
	return nil
}

// chooseBelow chooses the fields of a record, an array of records, or one of those that
// may be null.
func chooseBelow(n *avro.SchemaNode, w wanted) error {
	n = orNull(n)
	if n.Type == "array" && n.Items != nil {
		items := *n.Items
		n.Items = &items
		n.LogicalType, n.Props = "", nil
		n = orNull(n.Items) // some writers let the elements be null too
	}
	if n.Type != "record" {
		return columnar.Corrupt("its field %s (field id %d) is of type %.60q", w.name, w.id, n.Type)
	}
	return choose(n, w.below)
}

// orNull returns what a value is that may be null, and n itself for one that may not.
func orNull(n *avro.SchemaNode) *avro.SchemaNode {
	if n.Type != "union" {
		return n
	}
	n.Branches = slices.Clone(n.Branches)
	for i := range n.Branches {
		if n.Branches[i].Type != "null" {
			return &n.Branches[i]
		}
	}
	return n
}

// plainTypes takes the logical types off, so that values are what is in the file.
func plainTypes(n *avro.SchemaNode, depth int) {
	if depth > columnar.MaxDepth {
		return
	}
	n.LogicalType, n.Precision, n.Scale, n.Props = "", 0, 0, nil
	n.Branches = slices.Clone(n.Branches)
	for i := range n.Branches {
		plainTypes(&n.Branches[i], depth+1)
	}
	n.Fields = slices.Clone(n.Fields)
	for i := range n.Fields {
		f := &n.Fields[i]
		id := fieldID(f.Props)
		f.Default, f.HasDefault, f.Props = nil, false, nil
		if id >= 0 {
			f.Name, f.Aliases = partitionKey(id), []string{f.Name}
		}
		plainTypes(&f.Type, depth+1)
	}
}

// partitionKey is the name of a partition's field in the decoded manifest.
func partitionKey(id int) string { return fmt.Sprintf("f%d", id) }

// fieldID returns the id that an Avro field has, or -1.
func fieldID(props map[string]any) int {
	if id, ok := props["field-id"].(int64); ok {
		return int(id)
	}
	return -1
}

// next decodes a record. The error is io.EOF at the end.
func (c *container) next(v any) error {
	err := columnar.Guard(func() error { return c.r.Decode(v) })
	if err != nil && err != io.EOF {
		return damaged(err)
	}
	return err
}

func (c *container) close() {
	c.r.Close()
	if c.alone != nil {
		c.alone()
	}
}
