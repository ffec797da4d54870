// This file holds inputs that are text: how they are told, and with which options they
// are read.

package main

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/io/edgelist"
)

func firstText(parts []part) string {
	for _, p := range parts {
		if p.text != "" {
			return p.text
		}
	}
	return ""
}

// isText reports whether package edgelist reads the file.
func (f *inputFlags) isText(path string) (bool, error) {
	if inStore(path) {
		if f.inFormat.value != "auto" {
			return !f.columnar(), nil
		}
		format, _ := edgelist.FormatOf(path)
		return format != "", nil // reading reports the error
	}
	if inCatalog(path) {
		return false, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	switch {
	case info.IsDir(), f.columnar():
		return false, nil
	case f.inFormat.value != "auto":
		return true, nil
	}
	format, err := edgelist.FormatOf(path)
	if err != nil && !info.Mode().IsRegular() {
		return false, hint(fmt.Errorf("%s: not a regular file, and its name doesn't have a text extension", path),
			"--input-format text reads text from pipes; - reads Parquet and Arrow from standard input")
	}
	return format != "", nil // reading reports the error
}

// textObjects returns the texts in a store that a pattern stands for, if it is one of
// texts.
func (f *inputFlags) textObjects(ctx context.Context, pattern string) ([]string, error) {
	if isText, err := f.isText(pattern); err != nil || !isText || !inStore(pattern) || !strings.ContainsAny(pattern, "*?[") {
		return []string{pattern}, err
	}
	client := s3.New(s3.Options{MaxObjects: f.limits.objects, MinRate: f.limits.rate})
	defer client.Close()
	found, err := client.List(ctx, pattern)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, o := range found {
		if below := path.Base("/" + o.Below); below[0] != '.' && below[0] != '_' {
			paths = append(paths, o.Path)
		}
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no object matches %q", pattern)
	}
	return paths, nil
}

// textOptions returns how a text file is read.
func (in *input) textOptions(path string, progress *progress) edgelist.Options {
	g := in.o
	g.Directed = in.flags.directed // what is in the file, not what is made of it
	o := edgelist.Options{
		Graph: g, Workers: int(in.flags.workers), TwoPass: in.flags.twoPass, IDs: textIDs[in.flags.ids.value], Ragged: in.flags.ragged,
		Progress: progress.inBytes("reading"),
	}
	o.SkipLines, o.S3.MinRate = int(in.flags.skipLines), in.flags.limits.rate
	o.MaxExpansion, o.MaxVertices = in.flags.limits.expansion, in.flags.limits.vertices
	o.LeftOut = func(names []string) { in.textLeft = append(in.textLeft, names...) }
	o.ColumnTypes, o.SkipNulls = in.textTypes, in.flags.nulls.value == "skip"
	o.Skipped = func(rows uint64) { in.textNulls.Add(int64(rows)) }
	o.Columns = func(names [3]string, at [3]int, told [3]bool) error {
		return in.alike(textColumns{path, names, at, told})
	}
	if in.flags.header.value != "false" {
		o.Source, o.Target = in.flags.src, in.flags.dst
		if o.Graph.Weights {
			o.Weight = in.flags.weightCol
		}
	}
	switch in.flags.header.value {
	case "true":
		o.Header = "first"
	case "false":
		o.Header = "none"
	}
	switch f := in.flags.inFormat.value; f {
	case "auto":
	case "csv":
		o.Format, o.Separator = "text", ','
	case "tsv":
		o.Format, o.Separator = "text", '\t'
	case "el":
		o.Format = "text"
	case "graph":
		o.Format = "metis"
	case "ndjson":
		o.Format = "jsonl"
	default:
		o.Format = f // the flag allows no other
	}
	if in.flags.separator.set {
		o.Separator = in.flags.separator.value
	}
	switch f := in.flags.inFormat.value; {
	case in.flags.comment.value == noComment, in.flags.comment.value == 0 && (f == "csv" || f == "tsv"):
		o.NoComments = true
	default:
		o.Comment = in.flags.comment.value
	}
	comments := new(uint64)
	o.Comments = func(lines uint64) { *comments = lines }
	in.textComments = append(in.textComments, comments)
	return o
}

// comments is the number of lines of texts that were left out as comments.
func (in *input) comments() (n uint64) {
	for _, c := range in.textComments {
		n += *c
	}
	return n
}

// batches reads all edges. It may be called again.
func (in *input) batches(ctx context.Context, progress *progress, yield func(graph.Batch) error) error {
	in.other.Store(0)
	in.textNulls.Store(0)
	in.textComments = nil
	var (
		ids  idTypes
		rows rowNumbers
		p    part // that is read
	)
	pass := func(b graph.Batch) error {
		rows.shift(&b)
		return ids.note(p, &b, yield(b))
	}
	counted := func(b graph.Batch) error {
		n := len(b.Src)
		if b.SrcStrings != nil {
			n = b.SrcStrings.Len()
		}
		if !b.Vertices {
			in.other.Add(uint64(n))
			in.lists.note(&b)
		}
		return pass(b)
	}
	in.rows.reset()
	for _, p = range in.parts {
		rows.next()
		var err error
		switch {
		case p.gen != nil:
			err = generateEdges(ctx, p.gen, in.o.Weights, int(in.flags.workers), progress, counted)
		case p.arrow != nil:
			err = p.arrow.Read(ctx, func(b graph.Batch) error {
				switch {
				case b.Vertices:
					in.rows.add(&b)
				case len(b.Src) == 0 && b.SrcStrings == nil:
					in.noEdges = slices.Clone(b.Columns)
				default:
					in.lists.note(&b)
				}
				return pass(b)
			})
			in.stats = p.arrow.Stats()
			in.lists.noteSchema(p.arrow.Info())
		default:
			err = edgelist.ReadFile(ctx, p.text, in.textOptions(p.text, progress), counted)
		}
		if err != nil {
			return err
		}
	}
	return in.readLists(ctx, progress, yield)
}

// countsFromOne reports whether every part is text that counts its vertices from 1.
func (in *input) countsFromOne(ctx context.Context, progress *progress) bool {
	return !slices.ContainsFunc(in.parts, func(p part) bool {
		if p.text == "" {
			return true
		}
		format, _ := edgelist.Detect(ctx, p.text, in.textOptions(p.text, progress)) // reading reports the error
		return !countsFromOne(format)
	})
}

// declares reports whether every part is generated, or text that declares its number of vertices.
func (in *input) declares(ctx context.Context, progress *progress) bool {
	return !slices.ContainsFunc(in.parts, func(p part) bool {
		if p.text == "" {
			return p.gen == nil
		}
		format, _ := edgelist.Detect(ctx, p.text, in.textOptions(p.text, progress)) // reading reports the error
		return !serialized(format) && !countsFromOne(format)
	})
}

// countsFromOne reports whether ids of the format are 1 to a declared number.
func countsFromOne(format string) bool { return format == "mtx" || format == "gr" || format == "metis" }

// generate passes on a generator's edges, in order.
func generateEdges(ctx context.Context, g gen.Generator, weights bool, workers int, progress *progress, yield func(graph.Batch) error) error {
	b := graph.Batch{Type: graph.Uint32}
	if weights && g.WeightType() == graph.WeightsAuto {
		return usagef("gen:%s: these edges have no weights; generate some, gen:%s", g.Name(), withWeights(g.Name()))
	}
	done, drawn := uint64(0), []float32(nil)
	return gen.Ordered(ctx, g, workers, func(_ int, src, dst []uint32) error {
		b.Src, b.Dst = widen(b.Src, src), widen(b.Dst, dst)
		if weights {
			drawn = slices.Grow(drawn[:0], len(src))[:len(src)]
			g.Weights(src, dst, drawn)
			b.Weights = drawn
			if g.WeightType() == graph.WeightsInt64 {
				b.Weights, b.IntWeights = nil, b.IntWeights[:0]
				for _, w := range drawn {
					b.IntWeights = append(b.IntWeights, int64(w))
				}
			}
		}
		done += uint64(len(src))
		progress.update("generating", done, g.NumEdges())
		return yield(b)
	})
}

// widen copies ids into wide, which it makes longer where needed.
func widen(wide []int64, ids []uint32) []int64 {
	if cap(wide) < len(ids) {
		wide = make([]int64, len(ids))
	}
	wide = wide[:len(ids)]
	for i, id := range ids {
		wide[i] = int64(id)
	}
	return wide
}
