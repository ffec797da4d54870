// This file divides results by the values of a column, in the way of Hive.

package write

import (
	"context"
	"fmt"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"strings"
	"unicode/utf8"
)

// checkPartitions checks the options that PartitionBy goes with.
func (s *WriteSpec) checkPartitions() error {
	switch {
	case s.PartitionBy == "" && (s.MaxPartitions != 0 || s.Overwrite):
		return fmt.Errorf("%w: MaxPartitions and Overwrite are for PartitionBy", ErrOutputOption)
	case s.PartitionBy == "":
		return nil
	case s.stdout:
		return fmt.Errorf("%w: partitions don't go to standard output; name a directory", ErrOutputOption)
	case s.MaxPartitions < 0:
		return fmt.Errorf("%w: at most %d partitions; give 1 or more, or 0 for %d", ErrOutputOption, s.MaxPartitions, defaultPartitions)
	case s.MaxPartitions == 0:
		s.MaxPartitions = defaultPartitions
	}
	return nil
}

// checkPlain refuses options that only results have.
func (s *WriteSpec) checkPlain(what string) error {
	if s.SortByID || s.VertexColumn != "" {
		return fmt.Errorf("cannot write %s: %w: SortByID and VertexColumn are for results, not for %s", s.Path, ErrOutputOption, what)
	}
	if s.PartitionBy == "" && input.IsNil(s.Properties) {
		return nil
	}
	return fmt.Errorf("cannot write %s: %w: PartitionBy and Properties are for results, not for %s", s.Path, ErrOutputOption, what)
}

// partitions maps the values of a column to rows of a result.
type partitions struct {
	names []string   // of directories
	rows  [][]uint32 // vertices, of each
}

// writePartitions writes a file for each value of a column.
func writePartitions(ctx context.Context, spec WriteSpec, rows *vertexRows, open func(context.Context, *WriteSpec) (Output, error)) error {
	column, err := rows.partitionColumn(spec.PartitionBy)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", spec.Path, err)
	}
	dir, err := openDirectory(ctx, &spec)
	if err != nil {
		return err
	}
	defer dir.Abort()
	parts, err := rows.partition(ctx, column, spec.MaxPartitions, true)
	written, want, sizes := uint64(0), uint64(0), map[string]int64{}
	for i := range parts.names {
		if err == nil {
			var n uint64
			n, err = writePartition(ctx, spec, dir, parts.names[i], &partitionRows{*rows.part(parts.rows[i]), column, outBatch{}}, sizes, open)
			written, want = written+n, want+uint64(len(parts.rows[i]))
		}
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil && written != want {
		err = fmt.Errorf("%w: %d rows were written of %d", ErrResult, written, want)
	}
	if err == nil {
		err = dir.complete(sizes)
	}
	return dir.end(ctx, err)
}

// writePartition writes one file, and returns its number of rows. It adds the file's size to sizes.
func writePartition(ctx context.Context, spec WriteSpec, dir outputDir, name string, rows rowSource, sizes map[string]int64,
	open func(context.Context, *WriteSpec) (Output, error)) (uint64, error) {
	visible, err := dir.place(&spec, name)
	if err != nil {
		return 0, err
	}
	w, err := newRowWriter(ctx, spec, open)
	if err != nil {
		return 0, err
	}
	defer w.abort()
	w.spec.Path = visible
	err = w.end(w.writeAll(rows))
	sizes[visible] = w.w.to.written
	return w.rows, err
}

// partitionColumn finds the column to partition by.
func (r *vertexRows) partitionColumn(name string) (int, error) {
	var names []string
	for i := range r.fields {
		f := &r.fields[i]
		if f.name == name && f.typ.kind == kindFloat {
			return 0, fmt.Errorf("%w: PartitionBy %q is a column of floats, almost all of which differ; choose another", ErrOutputOption, name)
		}
		if f.name == name && input.Hidden(name) {
			return 0, fmt.Errorf("%w: PartitionBy %q: readers leave out directories whose names begin with a dot or an underscore; rename the column, or choose another", ErrOutputOption, name)
		}
		if f.name == name {
			return i, nil
		}
		if f.typ.kind != kindFloat && !input.Hidden(f.name) {
			names = append(names, f.name)
		}
	}
	return 0, fmt.Errorf("%w: PartitionBy %q is no column of the result; choose %s", ErrOutputOption, name, either(names))
}

// partition divides the rows by the values of a column, in the order in which
// they come up. Without keep it only looks whether there are more values than
// there may be.
func (r *vertexRows) partition(ctx context.Context, column, most int, keep bool) (partitions, error) {
	var (
		p       partitions
		f       = &r.fields[column]
		b       = outBatch{cols: make([]outColumn, len(r.fields))}
		props   = r.props
		single  *properties
		ints    = map[int64]uint32{}
		texts   = map[string]uint32{}
		named   = map[string]uint32{} // the partition of each name: one file per directory, whatever the values
		which   []uint32              // the partition of each row
		rows    []uint32              // its vertex
		counts  []int
		missing = -1
		text    []byte
	)
	defer func() { r.props, r.at = props, 0 }()
	r.props = nil
	if first := len(r.fields); props != nil {
		if first -= len(props.fields); column >= first {
			single = props.only(column - first)
			defer single.release()
		}
	}
	add := func(name string) (uint32, error) {
		if k, ok := named[name]; ok {
			return k, nil
		}
		if len(p.names) == most {
			return 0, fmt.Errorf("%w: %s has more than %d values; partition by another column, or let WriteOptions.MaxPartitions be more",
				ErrOutputOption, f.name, most)
		}
		p.names, counts = append(p.names, escapeHive(f.name)+"="+name), append(counts, 0)
		named[name] = uint32(len(p.names) - 1)
		return named[name], nil
	}
	none := func() (uint32, error) {
		if missing < 0 {
			k, err := add(input.NullPartition)
			if err != nil {
				return 0, err
			}
			missing = int(k)
		}
		return uint32(missing), nil
	}
	for {
		if err := ctx.Err(); err != nil {
			return p, err
		}
		more, err := r.next(ctx, &b)
		if err == nil && more && single != nil && b.n > 0 {
			err = single.fill(ctx, b.cols[column:column+1], r.vertices)
		}
		if err != nil {
			return p, err
		}
		if !more {
			break
		}
		c := &b.cols[column]
		for i := range b.n {
			var k uint32
			var known bool
			switch {
			case c.missing(i) || f.typ.text() && len(c.bytes[i]) == 0:
				if k, err = none(); err != nil {
					return p, err
				}
				known = true
			case f.typ.integer():
				k, known = ints[c.ints[i]]
			default:
				k, known = texts[string(c.bytes[i])]
			}
			if !known {
				text = appendText(text[:0], f.typ, c, i)
				if k, err = add(partitionValue(string(text))); err != nil {
					return p, err
				}
				if f.typ.integer() {
					ints[c.ints[i]] = k
				} else {
					texts[string(c.bytes[i])] = k
				}
			}
			if keep {
				which = append(which, k)
				counts[k]++
			}
		}
		if keep {
			rows = append(rows, r.vertices...)
		}
	}
	if !keep {
		return p, nil
	}
	// Vertices side by side that are of one partition, in their order.
	sorted := make([]uint32, len(rows))
	next := 0
	for _, n := range counts {
		p.rows = append(p.rows, sorted[next:next:next+n])
		next += n
	}
	for i, v := range rows {
		p.rows[which[i]] = append(p.rows[which[i]], v)
	}
	return p, nil
}

// part returns the rows of some vertices.
func (r *vertexRows) part(vertices []uint32) *vertexRows {
	part := *r
	part.of, part.at, part.reachedOnly = vertices, 0, false
	part.vertices = nil
	return &part
}

// partitionRows are the rows of a partition, without the partition column.
type partitionRows struct {
	vertexRows
	column int
	whole  outBatch
}

func (r *partitionRows) columns() []outField {
	fields := append([]outField(nil), r.fields[:r.column]...)
	return append(fields, r.fields[r.column+1:]...)
}

func (r *partitionRows) next(ctx context.Context, b *outBatch) (bool, error) {
	if r.whole.cols == nil {
		r.whole.cols = make([]outColumn, len(r.fields))
	}
	more, err := r.vertexRows.next(ctx, &r.whole)
	b.n = r.whole.n
	copy(b.cols, r.whole.cols[:r.column])
	copy(b.cols[r.column:], r.whole.cols[r.column+1:])
	return more, err
}

// partitionValue is a value in the name of a directory. The value that is spelled like the name
// for missing values gets another name: readers compare before they undo the escapes.
func partitionValue(s string) string {
	if s == input.NullPartition {
		return fmt.Sprintf("%%%02X", s[0]) + s[1:]
	}
	return escapeHive(s)
}

// escapeHive escapes what Hive escapes in the names of partitions, and bytes
// that aren't UTF-8.
func escapeHive(s string) string {
	const special = "\"#%'*/:=?\\\x7f{[]^"
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if s[i] < ' ' || strings.IndexByte(special, s[i]) >= 0 || r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, "%%%02X", s[i])
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}
