// This file puts random functors together in a file.

package functorfuzz

import (
	"bytes"
	"errors"
	"strings"

	"github.com/foray-graph/foray/internal/functor/generate/source"
)

// File is a file of random functors.
type File struct {
	Sources []*Source
	begins  []int // the line in which each begins
}

// NewFile makes the functors of seeds, from a first one on.
func NewFile(first, n uint64) *File {
	f := &File{}
	for seed := first; seed < first+n; seed++ {
		f.Sources = append(f.Sources, GenerateSource(seed))
	}
	return f
}

// Text returns the file of package main.
func (f *File) Text() []byte {
	var b bytes.Buffer
	b.WriteString("package main\n" + Header)
	line := 1 + bytes.Count(b.Bytes(), []byte("\n"))
	f.begins = nil
	for _, s := range f.Sources {
		f.begins = append(f.begins, line)
		b.WriteString(s.Text)
		line += strings.Count(s.Text, "\n")
	}
	return b.Bytes()
}

// Drop drops the functors that the generator refuses because they divide by a constant
// zero, or because their arrays are too large with all calls inlined, which isn't known when they are drawn. It returns false for any other error, which random functors never cause.
func (f *File) Drop(err error) bool {
	var errs source.Errors
	if !errors.As(err, &errs) {
		return false
	}
	refused := map[int]bool{}
	for _, e := range errs {
		if !strings.HasPrefix(e.Text, "a division by zero") && !strings.HasPrefix(e.Text, "the arrays of the functor") {
			return false
		}
		for i, begin := range f.begins {
			if begin <= e.Pos.Line && (i+1 == len(f.begins) || e.Pos.Line < f.begins[i+1]) {
				refused[i] = true
			}
		}
	}
	var kept []*Source
	for i, s := range f.Sources {
		if !refused[i] {
			kept = append(kept, s)
		}
	}
	fewer := len(kept) < len(f.Sources)
	f.Sources = kept
	return fewer
}
