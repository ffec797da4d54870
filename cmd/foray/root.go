// This file holds the root command, and kinds of flags that its subcommands have in common.

package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/text"
)

// app is one run of the program.
type app struct {
	stdout, stderr io.Writer // of messages: control characters are escaped
	data           io.Writer // standard output for data, as it is unless that is a terminal
	rawStderr      io.Writer // of progress bars
	terminal       bool      // stderr is one
	args           []string  // of the command line
	helpAll        bool      // help says everything
	json           bool      // the result is printed as JSON
	quiet          bool      // only errors are printed
	verbose        bool      // steps are logged
	progressLines  bool      // how far a run is is printed
	last           string    // line, on standard error
	result         any       // of the command, for --json
	runs           []*runResult
	restore        func()            // of the environment, at the end
	origins        *strings.Replacer // of variables that flags or the configuration file set; nil: none is set yet
	ranks          comm.Comm         // to be closed when an error was printed, or nil
	memoryBound
}

const (
	groupSearch     = "search"
	groupAlgorithms = "algorithms"
	groupGraphs     = "graphs"
	groupOther      = "other"
)

func (a *app) root() *cobra.Command {
	showVersion := false
	root := &cobra.Command{
		Use:           "foray",
		Short:         "Search graphs, and run algorithms over them",
		Long:          rootLong,
		Example:       rootExample,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if showVersion {
				_, err := fmt.Fprintln(a.stdout, version())
				return err
			}
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args[0])
		},
	}
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if err := a.begin(cmd, args); err != nil {
			return err
		}
		if cmd.GroupID == groupSearch || cmd.GroupID == groupAlgorithms || cmd.GroupID == groupGraphs {
			return checkLimits()
		}
		return nil
	}
	// Not cobra's: with a template of ours it would link text/template, and thus every exported method.
	root.Flags().BoolVar(&showVersion, "version", false, "print the version")
	a.addGeneral(root)
	root.SetHelpFunc(a.help)
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(&cobra.Group{ID: groupSearch, Title: "Searching:"}, &cobra.Group{ID: groupAlgorithms, Title: "Calculating:"},
		&cobra.Group{ID: groupGraphs, Title: "Graphs:"}, &cobra.Group{ID: groupOther, Title: "Other:"})
	root.SetHelpCommand(a.helpCommand())
	for _, al := range append(slices.Clone(algorithms), reachAlgorithm) {
		root.AddCommand(a.algorithmCommand(al))
	}
	root.AddCommand(a.runCommand(), a.bfsCommand(), a.benchCommand(), a.infoCommand(), a.reportCommand(), a.genCommand(), a.convertCommand(), a.appendCommand(),
		a.generateCommand(), a.devicesCommand(), a.versionCommand(), a.completionCommand())
	addMan(root)
	return root
}

// enum is a flag that takes one of a few words.
type enum struct {
	name    string // what help calls the value
	value   string
	allowed []string
}

func (e *enum) String() string { return e.value }
func (e *enum) Type() string   { return e.name }
func (e *enum) Set(s string) error {
	if !slices.Contains(e.allowed, s) {
		return fmt.Errorf("want %s", orList(e.allowed))
	}
	e.value = s
	return nil
}

// newEnum returns a flag whose default is the first word.
func newEnum(name string, allowed ...string) *enum { return &enum{name, allowed[0], allowed} }

// word is a flag that takes a word. Unlike pflag's own kind, help shows its
// default without quotes.
type word struct{ name, value string }

func (w *word) String() string     { return w.value }
func (w *word) Type() string       { return w.name }
func (w *word) Set(s string) error { w.value = s; return nil }

// orList is "a, b or c".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// size is a flag that takes a number of bytes.
type size uint64

func (s *size) String() string {
	if *s == 0 {
		return ""
	}
	return text.Bytes(uint64(*s))
}
func (s *size) Type() string { return "SIZE" }
func (s *size) Set(v string) error {
	n, err := text.ParseBytes(v)
	*s = size(n)
	return err
}

// positive is a flag that takes an integer that isn't negative.
type positive int

func (p *positive) String() string { return fmt.Sprint(int(*p)) }
func (p *positive) Type() string   { return "N" }
func (p *positive) Set(v string) error {
	var n int
	if _, err := fmt.Sscanf(v+"\n", "%d\n", &n); err != nil || n < 0 || n > 1<<30 {
		return fmt.Errorf("want a number from 0 to %d", 1<<30)
	}
	*p = positive(n)
	return nil
}

// distanceFlag is a flag that takes a distance.
type distanceFlag float64

func (d *distanceFlag) String() string { return fmt.Sprint(float64(*d)) }
func (d *distanceFlag) Type() string   { return "DISTANCE" }
func (d *distanceFlag) Set(v string) error {
	x, err := strconv.ParseFloat(v, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange) || !(x >= 0):
		return errors.New("want a number, 0 or more")
	case x == 0 && strings.ContainsAny(strings.FieldsFunc(v+" ", func(r rune) bool { return r == 'e' || r == 'E' })[0], "123456789"):
		return fmt.Errorf("distances are float64, of which the least above 0 is %v", math.SmallestNonzeroFloat64)
	case math.IsInf(x, 1) && err != nil:
		return fmt.Errorf("distances are float64, of which the largest is %v", math.MaxFloat64)
	}
	*d = distanceFlag(x)
	return nil
}

// upTo is a flag that takes a number that isn't larger than most.
type upTo struct{ n, most int }

func (u *upTo) String() string { return fmt.Sprint(u.n) }
func (u *upTo) Type() string   { return "N" }
func (u *upTo) Set(v string) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || n > u.most {
		return fmt.Errorf("want a number from 1 to %d", u.most)
	}
	u.n = n
	return nil
}

// noComment is a comment of texts that have none.
const noComment byte = 0xff

// comment is a flag that takes the character that comments begin with, or none. 0: it isn't given.
type comment struct{ value byte }

func (c *comment) String() string {
	switch c.value {
	case 0:
		return ""
	case noComment:
		return "none"
	}
	return string(rune(c.value))
}
func (c *comment) Type() string { return "CHAR" }
func (c *comment) Set(v string) error {
	if v == "none" {
		c.value = noComment
		return nil
	}
	if len(v) != 1 || v[0] >= 0x80 || v[0] <= ' ' || strings.Contains("\"+-.,0123456789", v) {
		return errors.New("want one character that isn't part of a number, a quote or a blank, or none")
	}
	c.value = v[0]
	return nil
}

// separator is a flag that takes a character, or the name of one.
type separator struct {
	value byte
	set   bool
}

func (s *separator) String() string {
	switch {
	case !s.set:
		return ""
	case s.value == '\t':
		return "tab"
	case s.value == ' ':
		return "space"
	}
	return string(rune(s.value))
}
func (s *separator) Type() string { return "CHAR" }
func (s *separator) Set(v string) error {
	if c, ok := map[string]byte{"tab": '\t', `\t`: '\t', "space": ' ', "comma": ','}[v]; ok {
		v = string(rune(c))
	}
	if len(v) != 1 || v[0] >= 0x80 || v[0] < ' ' && v[0] != '\t' || strings.Contains("\"#%+-.0123456789", v) {
		return errors.New("want one character that isn't part of a number, a comment or a quote, or space, tab or comma")
	}
	s.value, s.set = v[0], true
	return nil
}
