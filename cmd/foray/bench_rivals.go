// This file holds the flags for figures of other systems, and how bench prints them beside ours.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/text"
)

// rivalFlags are the flags for figures of other systems, and these figures.
type rivalFlags struct {
	path, plot string
	list       []bench.Rival
	said       io.Writer // where the picture's name is printed
}

func (f *rivalFlags) add(g flagGroup) {
	g.flags.StringVar(&f.path, "rivals", "", "lay figures of other systems beside ours: a CSV `FILE`")
}

// read reads the figures, and checks the picture's name, before anything is measured.
func (f *rivalFlags) read() error {
	if f.plot != "" {
		switch {
		case f.path == "":
			return usagef("--plot draws the figures of --rivals: name their file")
		case inStore(f.plot):
			return usagef("--plot %s: plots are local files; name one, and copy it to the store", f.plot)
		case plotFormat(f.plot) != "svg":
			return usagef("--plot %s: the name must end in .svg", f.plot)
		}
		if err := checkOutput(f.plot); err != nil {
			return err
		}
	}
	if f.path == "" {
		return nil
	}
	if inStore(f.path) {
		return usagef("--rivals %s: want a local file", f.path)
	}
	file, err := os.Open(f.path)
	if err != nil {
		return fmt.Errorf("--rivals %s: %w", f.path, errors.Unwrap(err))
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return fmt.Errorf("--rivals %s: it is a directory; name a CSV file", f.path)
	}
	if f.list, err = bench.ReadRivals(file); err != nil {
		return fmt.Errorf("--rivals %s: %w", f.path, err)
	}
	return nil
}

// write prints the figures beside those of a report, and what the file also has of its graph.
func (f *rivalFlags) write(w io.Writer, r *bench.Report, others []string) error {
	if f.path == "" {
		return nil
	}
	if len(r.Rivals) == 0 && len(others) == 0 {
		_, err := fmt.Fprintf(w, "%s has no figures of this graph by these algorithms\n", f.path)
		return err
	}
	if len(r.Rivals) > 0 {
		// The machines' names are free text: only people can say whether they are the same.
		fmt.Fprintf(w, "beside %s, measured on the machines named there; ours on %s\n", f.path, r.Hardware())
		t := text.Table{Align: "lrllrrlll"}
		t.Row("ours", "ms", "rival", "computes", "ms", "times ours", "date", "machine", "note")
		for _, b := range r.Rivals {
			t.Row(b.Algorithm, fmt.Sprintf("%.3f", b.MS), b.Rival.Name(), b.Rival.Algorithm, fmt.Sprintf("%.4g", b.Rival.MedianMS()), fmt.Sprintf("%.2f", b.Ratio), b.Rival.Date, b.Rival.Machine, b.Rival.Note)
		}
		if err := t.Write(w, "  "); err != nil {
			return err
		}
	}
	if len(others) > 0 {
		_, err := fmt.Fprintf(w, "not comparable, since they compute something else: %s\n", strings.Join(others, ", "))
		return err
	}
	return nil
}

// draw draws what was measured and the figures beside it, if --plot names a file.
func (f *rivalFlags) draw(ctx context.Context, reports []*bench.Report) error {
	if f.plot == "" {
		return nil
	}
	var p speedPanel
	for _, r := range reports {
		day, _, _ := strings.Cut(r.Time, "T")
		p.title = r.Hardware() + ", " + day
		for i, x := range r.Results {
			// A time of 0 has no place on a logarithmic axis.
			if !(x.MedianMS > 0) {
				continue
			}
			graph := bench.GraphName(r.Graph.Name)
			p.add(graph, speedMark{name: "Foray " + x.Algorithm, ours: true, low: x.Q1MS, ms: x.MedianMS, high: x.Q3MS})
			if i+1 < len(r.Results) {
				continue
			}
			var seen []string
			for _, b := range r.Rivals {
				m := markOf(b.Rival)
				m.ours = false // an earlier figure of ours is another program's
				m.note = strings.TrimSuffix("measured "+b.Rival.Date+" on "+b.Rival.Machine+"; "+m.note, "; ")
				if !slices.Contains(seen, m.name+m.note) { // it stands beside several of ours
					seen = append(seen, m.name+m.note)
					p.add(graph, m)
				}
			}
		}
	}
	return f.picture(ctx, "Times of Foray, measured now", "rounds, of times measured now the quartiles over the sources", []speedPanel{p})
}

// drawFile draws the figures of the file by an algorithm, a panel for each machine.
func (f *rivalFlags) drawFile(ctx context.Context, algos []string) error {
	name := "bfs"
	if len(algos) != 1 {
		return usagef("--plot without a PATH draws one algorithm; name one by --algo")
	}
	if words := strings.Fields(algos[0]); len(words) > 0 && algos[0] != "auto" {
		name = words[0]
	}
	panels := speedPanels(f.list, name)
	if len(panels) == 0 {
		return fmt.Errorf("--rivals %s: no two systems have figures of %s of the same graph on the same machine", f.path, name)
	}
	if name == "bfs" {
		return f.picture(ctx, "Time of a breadth-first search", "rounds", panels)
	}
	return f.picture(ctx, "Time of "+name, "rounds", panels)
}

func (f *rivalFlags) picture(ctx context.Context, what, span string, panels []speedPanel) error {
	w, err := atomicfile.Create(ctx, f.plot)
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := io.WriteString(w, speedPicture(what, span, filepath.Base(f.path), panels)); err != nil {
		return w.Explain(err)
	}
	if err := w.Commit(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(f.said, "plot       %s\n", f.plot)
	return err
}
