// This file holds suggestions for unknown commands, flags and paths.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/foray-graph/foray/graph/gen"
)

// unknownCommand suggests commands with a similar name, or the one that takes what
// looks like a PATH.
func unknownCommand(cmd *cobra.Command, name string) error {
	if like := cmd.SuggestionsFor(name); len(like) > 0 {
		if i := slices.IndexFunc(like, func(s string) bool { return sameLetters(s, name) }); i >= 0 {
			like = like[i : i+1]
		}
		return usagef("unknown command %q; did you mean %s?", name, strings.Join(like, " or "))
	}
	_, err := os.Stat(name)
	if err == nil || strings.ContainsAny(name, "./") || strings.HasPrefix(name, "gen:") {
		return usagef("unknown command %q; if it is a graph, foray bfs %s searches it", name, name)
	}
	return usagef("unknown command %q", name)
}

// sameLetters reports whether words differ in the order of their letters alone.
func sameLetters(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// flagError is err with the flags whose names are like one that isn't known.
func flagError(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) { // --help-all
		return pflag.ErrHelp
	}
	var unknown *pflag.NotExistError
	err = plainNumber(err)
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return &usageError{err: err}
	}
	if like := flagsLike(cmd.Flags(), unknown.GetSpecifiedName()); len(like) > 0 {
		err = fmt.Errorf("%w; did you mean %s?", err, orList(like))
	}
	return &usageError{err: err}
}

// plainNumber says in plain words what is wrong with a number.
func plainNumber(err error) error {
	var number *strconv.NumError
	if !errors.As(err, &number) {
		return err
	}
	want := "want a whole number"
	switch number.Func {
	case "ParseBool":
		want = "want true or false"
	case "ParseFloat":
		want = "want a number"
	case "ParseUint":
		want = "want a whole number, 0 or more"
	}
	if number.Err == strconv.ErrRange {
		want = "it is too large or too small"
	}
	before, _, _ := strings.Cut(err.Error(), "strconv.")
	return errors.New(before + want)
}

// flagsLike returns the flags whose names begin with a name, or else those that it
// is the fewest changes from, two at most and fewer of short names.
func flagsLike(flags *pflag.FlagSet, name string) (like []string) {
	const most = 2
	nearest := min(most, len(name)/2)
	flags.VisitAll(func(f *pflag.Flag) {
		switch d := distance(f.Name, name); {
		case f.Hidden:
		case len(name) > 1 && strings.HasPrefix(f.Name, name):
			if nearest >= 0 {
				like = nil
			}
			nearest = -1 // no other is nearer
			like = append(like, "--"+f.Name)
		case d < nearest:
			nearest, like = d, []string{"--" + f.Name}
		case d == nearest:
			like = append(like, "--"+f.Name)
		}
	})
	slices.Sort(like)
	return like
}

// distance is how many letters have to be put in, left out or changed to make one
// word of the other (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// missing is err, about a path that doesn't exist, with the graph of that name
// that is generated, if there is one.
func missing(path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, specErr := gen.Parse(path); specErr != nil {
		return err
	}
	return hint(explain(err), "gen:%s is the graph of that name that is generated", path)
}

// leftOutByWhere is err, about a vertex that isn't in the graph, with what may
// have left it out.
func (f *inputFlags) leftOutByWhere(err error) error {
	if f.where == "" && !slices.ContainsFunc(f.edges, func(t string) bool { return strings.Contains(t, ";where=") }) {
		return err
	}
	return hint(err, "edges that --where leaves out bring no vertices, so it may be one of those")
}
