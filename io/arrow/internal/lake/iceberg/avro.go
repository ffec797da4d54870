// This file reads manifests and their lists, which are Avro object container files.

package iceberg

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/lake"
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
	r *ocf.Reader
}

// openContainer reads the head of a file, whose records have the fields that are wanted.
func openContainer(f lake.File, fields []wanted) (*container, error) {
	in := bufio.NewReaderSize(io.NewSectionReader(f, 0, f.Size()), 64<<10)
	const magic = "Obj\x01"
	if begin, err := in.Peek(len(magic)); err == nil && string(begin) != magic { // which is not for the error
		return nil, columnar.Corrupt("it isn't Avro")
	}
	var r *ocf.Reader
	err := columnar.Guard(func() (err error) {
		r, err = newReader(in, fields)
		return err
	})
	if err != nil {
		return nil, damaged(err)
	}
	return &container{r: r}, nil
}

func newReader(in io.Reader, fields []wanted) (*ocf.Reader, error) {
	// Names of partition fields are those of columns, which may be anything.
	lax := avro.WithLaxNames(func(string) error { return nil })
	var refused error // without the library's words around it
	r, err := ocf.NewReader(in, ocf.WithMaxBlockBytes(maxBlock), ocf.WithMaxDecompressedBlockBytes(maxBlock), ocf.WithSchemaOpts(lax),
		ocf.WithReaderSchemaFunc(func(r *ocf.Reader) (*avro.Schema, error) {
			root := *r.Schema().Root()
			if root.Type != "record" {
				refused = columnar.Corrupt("its rows are of type %.60q, which is no record", root.Type)
			} else {
				refused = choose(&root, fields)
			}
			if refused != nil {
				return nil, refused
			}
			return root.Schema(lax)
		}))
	if refused != nil {
		return nil, refused
	}
	return r, err
}

// damaged says of an error that the file is at fault, unless it says otherwise.
func damaged(err error) error {
	if errors.Is(err, columnar.ErrCorrupt) || errors.Is(err, columnar.ErrUnsupported) {
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

// partitionKey is the name of a partition's field in what is read.
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

func (c *container) close() { c.r.Close() }
