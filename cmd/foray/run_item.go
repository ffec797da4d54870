// This file holds how a flag names an algorithm and its flags.

package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// runItem is an algorithm that a flag names.
type runItem struct {
	algorithm
	calculation
	text       string // of the flag
	fromSource bool   // it has --source
	words      []string
	output     outputFlags
}

// parseItem reads an algorithm with its flags, as a flag of a command has it; all are the command's.
func parseItem(flag, text string, all *pflag.FlagSet) (*runItem, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, usagef("--%s: the name of an algorithm is empty", flag)
	}
	name, source, short := strings.Cut(words[0], ":")
	at := slices.IndexFunc(runnable(), func(al algorithm) bool { return al.name == name })
	if at < 0 {
		return nil, usagef("--%s %s: there is no algorithm %q; there are %s", flag, text, name, orList(namesOf(runnable())))
	}
	x := &runItem{algorithm: runnable()[at], text: strings.TrimSpace(text), words: words[1:]}
	if short {
		x.words = append(x.words, "--source", source)
	}
	err := x.parse(flag, x.words)
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		name := unknown.GetSpecifiedName()
		if len(name) == 1 && all.ShorthandLookup(name) != nil {
			name = all.ShorthandLookup(name).Name
		}
		switch {
		case all.Lookup(name) != nil:
			err = usagef("--%s %s: --%s applies to all algorithms, not to one: write it outside the quotes", flag, x.text, name)
		case alone(x.name, name):
			err = usagef("--%s %s: --%s takes no --%s; the command foray %s does", flag, x.text, flag, name, x.name)
		case strings.Contains(name, ","):
			err = usagef("--%s %s: an algorithm with flags needs its own --%s", flag, x.text, flag)
		}
	}
	return x, err
}

// alone reports whether the algorithm's own command has a flag that flags which name algorithms don't take.
func alone(algorithm, flag string) bool {
	switch flag {
	case "partition-by", "overwrite":
		return !slices.Contains(namesOfEdges(), algorithm)
	case "sources-from", "targets-from":
		return algorithm == "bfs" || algorithm == "sssp" || (algorithm == "similar" || algorithm == "walks") && flag == "sources-from"
	case "pairs":
		return algorithm == "similar" || algorithm == "paths"
	case "plot":
		return algorithm == "bfs"
	}
	return false
}

// namesOfEdges are the algorithms whose tables have rows of edges.
func namesOfEdges() (names []string) {
	for _, al := range algorithms {
		if ownRows(al.make()) == edgeRows {
			names = append(names, al.name)
		}
	}
	return names
}

// given reports whether the words name a flag.
func (x *runItem) given(flag string) bool {
	return slices.ContainsFunc(x.words, func(w string) bool { return w == "--"+flag || strings.HasPrefix(w, "--"+flag+"=") })
}

// from returns the words with a source, or as they are.
func (x *runItem) from(source string) []string {
	if source == "" {
		return x.words
	}
	return append(slices.Clone(x.words), "--source="+source)
}

// parse makes the calculation that flags ask for.
func (x *runItem) parse(flag string, words []string) error {
	x.calculation = x.make()
	g := newGroup(titleAlgorithm)
	x.addFlags(g)
	g.flags.SetOutput(io.Discard)
	g.flags.Usage = func() {}
	if slices.Contains(words, "--source") && g.flags.Lookup("source") == nil {
		return usagef("--%s %s: %s has no source", flag, x.text, x.name)
	}
	x.fromSource = g.flags.Lookup("source") != nil
	if err := g.flags.Parse(words); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			err = fmt.Errorf("see foray %s --help for its flags", x.name)
		}
		return &usageError{fmt.Errorf("--%s %s: %w", flag, x.text, plainNumber(err)), "foray " + x.name}
	}
	if rest := g.flags.Args(); len(rest) > 0 {
		return usagef("--%s %s: %q isn't a flag of %s", flag, x.text, rest[0], x.name)
	}
	if err := x.check(g.flags.Changed); err != nil {
		return fmt.Errorf("--%s %s: %w", flag, x.text, err)
	}
	return nil
}
