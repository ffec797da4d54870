// This file runs a batch of functors.

package main

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/foray-graph/foray/internal/functor/generate"
	"github.com/foray-graph/foray/internal/functor/generate/source"
	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/testing/functorfuzz"
	"github.com/foray-graph/foray/internal/testing/functorfuzz/loops"
)

const module = source.Module

// builder compiles packages. It runs the compiler and the linker directly: the go
// command would examine all imports of the packages each time.
type builder struct {
	root, dir    string
	config       string // a file with the places of the export data of all packages
	compile, lnk string
}

// newBuilder has the go command build what functors import.
func newBuilder(ctx context.Context, root, dir string) (*builder, error) {
	b := &builder{root: root, dir: dir, config: filepath.Join(dir, "importcfg")}
	out, err := command(ctx, root, "go", "list", "-export", "-deps", "-f", "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}",
		"./internal/testing/functorfuzz/loops", "./functor", "./atomics", "./random", "./traverse", "math/bits")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(b.config, out, 0o600); err != nil {
		return nil, err
	}
	for tool, at := range map[string]*string{"compile": &b.compile, "link": &b.lnk} {
		out, err := command(ctx, root, "go", "tool", "-n", tool)
		if err != nil {
			return nil, err
		}
		*at = strings.TrimSpace(string(out))
	}
	return b, nil
}

// command runs a command in a folder, and returns its output.
func command(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOGC=off", "GOMEMLIMIT=2GiB") // collecting is a third of a compilation
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		text := append(stderr.Bytes(), out...)
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, text[:min(len(text), 4000)])
	}
	return out, nil
}

// batch runs the functors of a batch.
func (b *builder) batch(ctx context.Context, i uint64, done *counts) (err error) {
	first, n := *seed+i*(*batch), min(*batch, *functors-i*(*batch))
	defer func() {
		if err != nil {
			err = fmt.Errorf("seeds %d to %d: %w", first, first+n-1, err)
		}
	}()
	dir := filepath.Join(b.dir, fmt.Sprint("b", i))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if !*keep {
		defer os.RemoveAll(dir)
	}
	functors, err := write(ctx, dir, first, n)
	if err != nil {
		return err
	}
	program, err := b.build(ctx, dir, i%*plain != 0)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program, fmt.Sprint(*cases))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	failed := compare(out, functors, done)
	io.Copy(io.Discard, out)
	if err := cmd.Wait(); err != nil && failed == nil {
		failed = fmt.Errorf("%w\n%s", err, stderr.Bytes())
	}
	return failed
}

// write writes a package of functors, and the code generated for it.
func write(ctx context.Context, dir string, first, n uint64) (map[uint64]*ir.Functor, error) {
	f := functorfuzz.NewFile(first, n)
	var made []byte
	var functors []*ir.Functor
	for {
		if err := os.WriteFile(filepath.Join(dir, "functors.go"), f.Text(), 0o600); err != nil {
			return nil, err
		}
		var err error
		if made, functors, err = generate.Text(ctx, dir); err == nil {
			break
		}
		if !f.Drop(err) {
			return nil, err
		}
	}
	if len(functors) != len(f.Sources) {
		return nil, fmt.Errorf("%d functors of %d were found", len(functors), len(f.Sources))
	}
	bySeed := map[uint64]*ir.Functor{}
	for i, s := range f.Sources {
		bySeed[s.Seed] = functors[i]
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), table(f), 0o600); err != nil {
		return nil, err
	}
	return bySeed, os.WriteFile(filepath.Join(dir, source.FileName), made, 0o600)
}

// table returns the main function of a package of functors.
func table(f *functorfuzz.File) []byte {
	var b bytes.Buffer
	b.WriteString("package main\n\nimport \"" + module + "/internal/testing/functorfuzz/loops\"\n\nfunc main() {\n\tloops.Main([]loops.Generated{\n")
	for _, s := range f.Sources {
		var args []string
		for i, x := range s.Case.Functor.Fields {
			how := "Num"
			if x.Slice {
				how = "Buf"
			}
			if x.Accumulator {
				how = "Acc"
			}
			args = append(args, fmt.Sprintf("loops.%s[%s](b, %d)", how, x.Type, i))
		}
		fmt.Fprintf(&b, "\t\t{Seed: %d, Go: func() any { return new(%s) }, New: func(b *loops.Bound) any { return New%s(%s) }},\n", s.Seed, s.Name, s.Name, strings.Join(args, ", "))
	}
	b.WriteString("\t})\n}\n")
	return b.Bytes()
}

// build compiles and links the package in a folder.
func (b *builder) build(ctx context.Context, dir string, plain bool) (program string, err error) {
	object, program := filepath.Join(dir, "main.a"), filepath.Join(dir, "main")
	args := []string{"-o", object, "-p", "main", "-lang=go1.25", "-complete", "-c=1", "-importcfg", b.config, "-pack"}
	if plain {
		args = append(args, "-N", "-l")
	}
	if _, err := command(ctx, dir, b.compile, append(args, "functors.go", "main.go", source.FileName)...); err != nil {
		return "", err
	}
	_, err = command(ctx, dir, b.lnk, "-o", program, "-importcfg", b.config, "-s", "-w", object)
	return program, err
}

// compare compares a program's output with the IR and the PTX of its functors.
func compare(out io.Reader, functors map[uint64]*ir.Functor, done *counts) error {
	in := gob.NewDecoder(out)
	var s *functorfuzz.Source
	var p *functorfuzz.Programs
	for range len(functors) * *cases {
		var rec loops.Record
		if err := in.Decode(&rec); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil // the program says why
		} else if err != nil {
			return err
		}
		f := functors[rec.Seed]
		if rec.Case == 0 {
			var err error
			s = functorfuzz.GenerateSource(rec.Seed)
			if p, err = functorfuzz.Parse(f); err != nil {
				return err
			}
			done.functors.Add(1)
		}
		done.calls.Add(1)
		if rec.Left.Fault.Line != 0 {
			done.faults.Add(1)
		}
		t := s.Case.Tiles(loops.Seed(rec.Seed, rec.Case)).Of(f)
		what, several := rec.Differs, functorfuzz.Several(f)
		by, err := t.ByIR()
		if err != nil {
			return fmt.Errorf("seed %d: IR: %w\n%s\n%s", rec.Seed, err, s.Text, p)
		}
		// Go leaves open whether a division comes before a call to its right. If both fault,
		// either may fault first, and the call may or may not have written.
		either := slices.Contains(rec.Callers, by.Fault.Line)
		if either {
			what = ""
		}
		if d := t.Differ(&rec.Left, by, several); d != "" && !either {
			what += fmt.Sprintf("IR: %s\n", d)
		}
		for i, fault := range rec.Faults {
			if fault != by.Fault {
				what += fmt.Sprintf("host loops, way %d: fault %+v, of the IR %+v\n", i, fault, by.Fault)
			}
		}
		if by, err = t.ByPTX(p); err != nil {
			what += fmt.Sprintf("PTX: %v\n", err)
		} else if d := t.Differ(&rec.Left, by, several); d != "" && !either {
			what += fmt.Sprintf("PTX: %s\n", d)
		}
		if what != "" {
			return fmt.Errorf("seed %d, case %d: Go, and differently:\n%s\n%s\n%s\nrows %v of %v, level %d, in %v, how %d\nslices %v\nscalars %v",
				rec.Seed, rec.Case, what, s.Text, p, t.Rows, t.Targets, t.Level, t.In, t.How, t.Data.Slices, t.Data.Scalars)
		}
	}
	return nil
}
