// Package generate writes the generated file of a package with functors: host loops in Go, and PTX
// for GPUs.
package generate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/functor/generate/gohost"
	"github.com/foray-graph/foray/internal/functor/generate/source"
	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/functor/ptx"
)

// ErrStale: a generated file that isn't what would be generated.
var ErrStale = errors.New("not what foray generate writes; run go generate")

// ErrNone: a package without functors.
var ErrNone = errors.New("no struct is marked //foray:functor")

// Errors are what is wrong with functors, by file, line and column.
type Errors = source.Errors

// Text returns the generated file of the package in a folder, and its functors.
func Text(ctx context.Context, dir string) (text []byte, functors []*ir.Functor, err error) {
	p, err := source.Load(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	if len(p.Functors) == 0 {
		return nil, nil, fmt.Errorf("%s: %w", dir, ErrNone)
	}
	var list []gohost.Functor
	for _, f := range p.Functors {
		g := gohost.Functor{Functor: f, PTX: map[ir.Kind]string{}, Tied: true}
		for _, m := range f.Methods {
			text, err := ptx.Method(f, m)
			switch {
			case errors.Is(err, ptx.ErrNotSupported): // it runs on the host
			case err != nil:
				return nil, nil, fmt.Errorf("%s: functor %s: method %s: %w", dir, f.GoType(), m.Kind, err)
			default:
				g.PTX[m.Kind] = text
			}
		}
		list = append(list, g)
	}
	text, err = gohost.File(p.Name, list)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", dir, err)
	}
	if errs, err := clashes(text, p.Declared); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", dir, err)
	} else if len(errs) > 0 {
		return nil, nil, errs
	}
	tied, err := format.Source(ties(p.Functors))
	return append(text, tied...), p.Functors, err
}

// ties returns conversions that don't compile once a functor has other fields.
func ties(functors []*ir.Functor) []byte {
	var b bytes.Buffer
	b.WriteString("\n// What the functors' fields were; after a change of them generate again.\nvar (\n")
	for _, f := range functors {
		b.WriteString("_ = struct {\n")
		for _, x := range f.Fields {
			if x.Hidden {
				continue
			}
			t := x.Type.String()
			if x.Accumulator {
				t = gohost.AccumulatorType(x)
			}
			if x.Slice {
				t = "[]" + t
			}
			fmt.Fprintf(&b, "%s %s\n", x.Name, t)
		}
		fmt.Fprintf(&b, "}(%s{})\n", f.GoType())
	}
	b.WriteString(")\n")
	return b.Bytes()
}

// Write generates for the package in a folder. The file is written if it changes, whole or
// not at all. It is removed where no functor is left.
func Write(ctx context.Context, dir string) error {
	_, err := write(ctx, dir)
	return err
}

// write is Write, and returns the path of the file if it was removed.
func write(ctx context.Context, dir string) (removed string, err error) {
	text, _, err := Text(ctx, dir)
	path := filepath.Join(dir, source.FileName)
	switch {
	case err != nil && orphan(dir, err) && ctx.Err() == nil:
		return path, os.Remove(path)
	case err != nil:
		return "", err
	}
	return "", Save(ctx, path, text)
}

// Save writes a file whole or not at all, if it changes.
func Save(ctx context.Context, path string, text []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text) {
		return nil
	}
	f, err := atomicfile.Create(ctx, path)
	if err != nil {
		return err
	}
	if _, err := f.Write(text); err != nil {
		f.Abort()
		return err
	}
	return f.Commit()
}

// Check compares the file in a folder with what Write would write: ErrStale.
func Check(ctx context.Context, dir string) error {
	text, _, err := Text(ctx, dir)
	path := filepath.Join(dir, source.FileName)
	switch {
	case err != nil && orphan(dir, err):
		return fmt.Errorf("%s: %w: no struct is marked //foray:functor any more", path, ErrStale)
	case err != nil:
		return err
	}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !bytes.Equal(old, text) {
		return fmt.Errorf("%s: %w", path, ErrStale)
	}
	return nil
}
