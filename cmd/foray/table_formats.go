// This file handles files in a table of Iceberg, Delta Lake or Hudi: files that a pattern
// matches are refused, named files are read with a warning on standard error. It also warns
// about files that a table has outside of its directory.

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/foray-graph/foray/internal/files/tableformat"
	"github.com/foray-graph/foray/internal/text"
)

// refuseTables returns an arrow.ErrTable if a file among the matches of a pattern is
// one of a table. Into directories package arrow looks itself.
func refuseTables(pattern string, matches []string) error {
	var finder tableformat.Finder
	for _, m := range matches {
		if info, err := os.Stat(m); err != nil || info.IsDir() {
			continue
		}
		if err := finder.Check(filepath.Dir(m)); err != nil {
			return fmt.Errorf("%s: %w", pattern, err)
		}
	}
	return nil
}

// noteTable records the table that contains a named file.
func (in *input) noteTable(path string) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return
	}
	var found *tableformat.Error
	if err := in.finder.Check(filepath.Dir(path)); !errors.As(err, &found) {
		return
	}
	if !slices.ContainsFunc(in.inTables, func(e *tableformat.Error) bool { return e.Root == found.Root }) {
		in.inTables = append(in.inTables, found)
	}
}

// tellTables reports tables that contain named files, and tables that name files elsewhere.
func (a *app) tellTables(in *input) error {
	for _, e := range in.inTables {
		if err := a.note("files in %s, a table of %s, are read as they are: with rows that were deleted or replaced, and without files that weren't named", e.Root, e.Kind); err != nil {
			return err
		}
	}
	for _, p := range in.parts {
		if p.arrow == nil {
			continue
		}
		for _, t := range p.arrow.Info().Snapshots {
			if t.OutsideMetadata > 0 {
				if err := a.note("the table %s has %s of metadata or deletes outside of its directory, such as %s", t.Path, text.Plural(t.OutsideMetadata, "file"), t.OutsideMetadataFile); err != nil {
					return err
				}
			}
			if t.Outside == 0 {
				continue
			}
			err := a.note("the table %s has %s outside of its directory, which its metadata names, such as %s", t.Path, text.Plural(t.Outside, "data file"), t.OutsideFile)
			if err != nil {
				return err
			}
		}
	}
	return nil
}
