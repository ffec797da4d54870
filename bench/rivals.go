// This file holds figures of other systems, which a CSV file has, and lays them beside measurements.

package bench

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/foray-graph/foray/internal/text"
)

// ErrRivals is a file that isn't a table of figures of other systems.
var ErrRivals = errors.New("bench: no table of rivals' figures")

// Rival is a figure of a system, measured or published.
type Rival struct {
	System    string    `json:"system"`
	Version   string    `json:"version,omitempty"`
	Graph     string    `json:"graph"`
	Algorithm string    `json:"algorithm"` // with the flags that say what it computes: "bfs --parents"
	Machine   string    `json:"machine"`
	Date      string    `json:"date"` // as 2006-01-02
	MS        []float64 `json:"ms"`   // of each round
	GTEPS     float64   `json:"gteps,omitempty"`
	Source    string    `json:"source"` // where the figure is from
	Note      string    `json:"note,omitempty"`
}

// MedianMS returns the median over the rounds.
func (r *Rival) MedianMS() float64 { return middle(r.MS) }

// Name returns the system with its version.
func (r *Rival) Name() string { return strings.TrimSpace(r.System + " " + r.Version) }

// Beside is a rival's figure next to one of ours.
type Beside struct {
	Algorithm string  `json:"algorithm"` // ours
	MS        float64 `json:"median_ms"` // ours
	Ratio     float64 `json:"ratio"`     // of the rival's median time to ours: above 1 ours is faster
	Rival     Rival   `json:"rival"`
}

// The columns of a file. Those that may be empty may also be missing.
var (
	rivalColumns   = []string{"system", "graph", "algorithm", "machine", "date", "ms", "source"}
	rivalOptionals = []string{"version", "gteps", "note"}
)

// What a file may have: more isn't a table of figures.
const (
	rivalBytes  = 16 << 20
	rivalLetter = 300   // bytes of a field
	leastMS     = 1e-12 // no time is as short
)

// ReadRivals reads figures from CSV, whose first line names the columns, in any order: system, graph, algorithm, machine,
// date (2006-01-02), ms (one time, or those of several rounds with spaces between them) and source; and version, gteps
// and note, which may be empty or missing. Errors wrap ErrRivals and name the line.
func ReadRivals(r io.Reader) ([]Rival, error) {
	limited := &io.LimitedReader{R: r, N: rivalBytes}
	c := csv.NewReader(limited)
	c.FieldsPerRecord = -1
	at := func(line int, format string, args ...any) error {
		return fmt.Errorf("%w: line %d: %s", ErrRivals, line, fmt.Sprintf(format, args...))
	}
	var columns []string
	var rivals []Rival
	first := map[string]int{} // the line of each measurement
	for {
		fields, err := c.Read()
		if limited.N == 0 {
			return nil, fmt.Errorf("%w: it has more than %s", ErrRivals, text.Bytes(rivalBytes))
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			var parse *csv.ParseError
			if errors.As(err, &parse) {
				return nil, at(parse.Line, "a quote begins or ends within a field")
			}
			return nil, err
		}
		line, _ := c.FieldPos(0)
		for i, f := range fields {
			fields[i] = strings.TrimSpace(f)
			if !utf8.ValidString(f) || strings.ContainsFunc(f, func(r rune) bool { return unicode.IsControl(r) || r == 0xfffe || r == 0xffff }) {
				return nil, at(line, "field %d has bytes that are no text", i+1)
			}
			if len(f) > rivalLetter {
				return nil, at(line, "field %d has %d bytes, %d at most", i+1, len(f), rivalLetter)
			}
		}
		if columns == nil {
			fields[0] = strings.TrimPrefix(fields[0], "\ufeff")
			if err := checkColumns(fields); err != nil {
				return nil, at(line, "%v", err)
			}
			columns = fields
			continue
		}
		if len(fields) != len(columns) {
			return nil, at(line, "%s, and line 1 names %s", text.Plural(len(fields), "field"), text.Plural(len(columns), "column"))
		}
		of := func(name string) string {
			if i := slices.Index(columns, name); i >= 0 {
				return fields[i]
			}
			return ""
		}
		x, err := rivalOf(of)
		if err != nil {
			return nil, at(line, "%v", err)
		}
		key := strings.Join([]string{x.Name(), GraphName(x.Graph), x.Algorithm, x.Machine, x.Date, x.Note}, "\n")
		if before, twice := first[key]; twice {
			return nil, at(line, "%s has this figure on line %d already: add it to its rounds, or tell the two apart by a note", x.Name(), before)
		}
		first[key] = line
		rivals = append(rivals, x)
	}
	if columns == nil {
		return nil, fmt.Errorf("%w: it is empty", ErrRivals)
	}
	if len(rivals) == 0 {
		return nil, fmt.Errorf("%w: it names columns, and has no figures", ErrRivals)
	}
	return rivals, nil
}

// checkColumns refuses columns that are missing, unknown or there twice.
func checkColumns(names []string) error {
	for i, n := range names {
		if !slices.Contains(rivalColumns, n) && !slices.Contains(rivalOptionals, n) {
			return fmt.Errorf("no column has the name %q; want %s, and perhaps %s", n, strings.Join(rivalColumns, ", "), strings.Join(rivalOptionals, ", "))
		}
		if slices.Contains(names[:i], n) {
			return fmt.Errorf("the column %s is there twice", n)
		}
	}
	for _, n := range rivalColumns {
		if !slices.Contains(names, n) {
			return fmt.Errorf("the column %s is missing", n)
		}
	}
	return nil
}

func rivalOf(of func(column string) string) (x Rival, err error) {
	for _, n := range rivalColumns {
		if of(n) == "" {
			return x, fmt.Errorf("%s is empty", n)
		}
	}
	x = Rival{System: of("system"), Version: of("version"), Graph: of("graph"), Algorithm: strings.Join(strings.Fields(of("algorithm")), " "),
		Machine: of("machine"), Date: of("date"), Source: of("source"), Note: of("note")}
	if _, err := time.Parse(time.DateOnly, x.Date); err != nil {
		return x, fmt.Errorf("date is %q; want a day such as 2026-11-21", x.Date)
	}
	for word := range strings.FieldsSeq(of("ms")) {
		ms, err := strconv.ParseFloat(word, 64)
		if err != nil || !(ms > leastMS) || ms > 1e12 {
			return x, fmt.Errorf("ms is %q; want milliseconds above 0, such as 16.4", word)
		}
		x.MS = append(x.MS, ms)
	}
	if g := of("gteps"); g != "" {
		if x.GTEPS, err = strconv.ParseFloat(g, 64); err != nil || !(x.GTEPS > 0) || math.IsInf(x.GTEPS, 0) {
			return x, fmt.Errorf("gteps is %q; want 10^9 edges a second above 0, or nothing", g)
		}
	}
	return x, nil
}

// GraphName returns what a graph is called, however it was made or read: kron20 for gen:kron20 and data/kron20.sg.
func GraphName(name string) string {
	name, generated := strings.CutPrefix(name, "gen:")
	if generated || strings.Contains(name, ":") {
		return name
	}
	name, _, _ = strings.Cut(path.Base(strings.ReplaceAll(name, `\`, "/")), ".")
	return name
}

// task returns the words that say what an algorithm computes: those of the searches are the same.
func task(algorithm string) []string {
	words := strings.Fields(algorithm)
	if len(words) == 0 {
		return nil
	}
	kind, _, _ := strings.Cut(words[0], "/")
	switch Kind(kind) {
	case BFS, DOBFS, Sequential:
		words[0] = string(BFS)
	}
	return words
}

// Task returns the problem that the algorithm solves: bfs for every search.
func (r *Rival) Task() string { return task(r.Algorithm)[0] }

// LayBeside returns the rivals' figures of a graph and an algorithm, which includes the flags that say what it computes. A
// rival's figure is comparable if each of its words is among these: ours computes as much, or more. For the other figures
// of the same graph and algorithm it returns what they compute.
func LayBeside(rivals []Rival, graph, algorithm string, ms float64) (list []Beside, others []string) {
	ours := task(algorithm)
	if len(ours) == 0 || !(ms > 0) {
		return nil, nil
	}
	for _, r := range rivals {
		theirs := task(r.Algorithm)
		if GraphName(r.Graph) != GraphName(graph) || theirs[0] != ours[0] {
			continue
		}
		if slices.ContainsFunc(theirs, func(w string) bool { return !slices.Contains(ours, w) }) {
			if !slices.Contains(others, r.Algorithm) {
				others = append(others, r.Algorithm)
			}
			continue
		}
		list = append(list, Beside{Algorithm: algorithm, MS: ms, Ratio: r.MedianMS() / ms, Rival: r})
	}
	return list, others
}

// LayBeside adds the rivals' figures of the report's graph to it. It returns what other figures of that graph compute.
func (r *Report) LayBeside(rivals []Rival) (others []string) {
	for _, x := range r.Results {
		list, more := LayBeside(rivals, r.Graph.Name, x.Algorithm+r.outputs(), x.MedianMS)
		for i := range list {
			list[i].Algorithm = x.Algorithm
		}
		r.Rivals = append(r.Rivals, list...)
		for _, o := range more {
			if !slices.Contains(others, o) {
				others = append(others, o)
			}
		}
	}
	return others
}

// outputs returns the flag of a search's other outputs.
func (r *Report) outputs() string {
	if r.Parents {
		return " --parents"
	}
	return ""
}
