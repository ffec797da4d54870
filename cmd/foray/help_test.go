// This file tests help: the short one of every command fits a screen, and nothing is left out of the full one.

package main

import (
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commands returns every command, with flags as in a run.
func commands(t *testing.T) []*cobra.Command {
	t.Helper()
	root := (&app{stdout: io.Discard, data: io.Discard, stderr: io.Discard}).root()
	root.InitDefaultHelpCmd()
	list := []*cobra.Command{root}
	for i := 0; i < len(list); i++ {
		list[i].InitDefaultHelpFlag()
		list = append(list, list[i].Commands()...)
	}
	if len(list) < 24 {
		t.Fatalf("only %d commands", len(list))
	}
	return list
}

// helpOf runs a command with a flag of help.
func helpOf(t *testing.T, cmd *cobra.Command, flag string) string {
	t.Helper()
	out, _ := foray(t, 0, append(strings.Fields(cmd.CommandPath())[1:], flag)...)
	return out
}

// narrow fails the test if a line is wider than a screen.
func narrow(t *testing.T, what, help string) {
	t.Helper()
	for line := range strings.Lines(help) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > helpWidth {
			t.Errorf("%s: a line of %d characters: %s", what, n, line)
		}
	}
}

// TestShortHelp: the help of every command fits a screen, and has groups of flags in one order.
func TestShortHelp(t *testing.T) {
	const screen = 45
	for _, cmd := range commands(t) {
		name := cmd.CommandPath()
		help := helpOf(t, cmd, "--help")
		narrow(t, name, help)
		most := screen
		if name == "foray" {
			most = 60 // a line for each command
		}
		if n := strings.Count(help, "\n"); n > most {
			t.Errorf("%s --help has %d lines, more than %d", name, n, most)
		}
		if name == "foray" {
			continue
		}
		contains(t, help, cmd.Short+".\n\nUsage:\n  "+name, "\n\nExamples:\n", "\nGeneral:\n", "--help ", "\nAll flags and details: "+name+" --help-all\nTopics: ")
		_, examples, _ := strings.Cut(help, "\nExamples:\n")
		examples, _, _ = strings.Cut(examples, "\n\n")
		want := 1
		if hasOwnFlags(cmd) {
			want = shortExamples
		}
		if got := strings.Count(examples, "foray "); got < want {
			t.Errorf("%s --help has %d examples, want %d", name, got, want)
		}
		for _, flag := range []string{"--help", "--help-all"} {
			at := 0
			for line := range strings.Lines(helpOf(t, cmd, flag)) {
				title, ok := strings.CutSuffix(line, ":\n")
				if !ok || strings.HasPrefix(title, " ") || at == 0 && !slices.Contains(groupTitles, title) {
					continue
				}
				i := slices.Index(groupTitles[at:], title)
				if i < 0 {
					t.Errorf("%s %s: the group %s is unknown or out of order", name, flag, title)
					continue
				}
				at += i + 1
			}
		}
	}
}

// TestSpecs: the short help of gen lists every graph that can be generated.
func TestSpecs(t *testing.T) {
	help, _ := foray(t, 0, "gen", "--help")
	_, errs := foray(t, 2, "gen", "nosuch", "-o", "x.csv")
	_, names, ok := strings.Cut(errs, "there are ")
	names, _, _ = strings.Cut(names, " (see")
	if list := strings.Split(names, ", "); !ok || len(list) < 16 {
		t.Fatal(errs)
	}
	for name := range strings.SplitSeq(names, ", ") {
		if !strings.Contains(help, "  "+name) {
			t.Errorf("gen --help lacks %s:\n%s", name, help)
		}
	}
	contains(t, help, "SPECs (--help-all describes each):\n", "banded:n=N,band=B")
}

// hasOwnFlags reports whether a command has flags that not all commands have.
func hasOwnFlags(cmd *cobra.Command) (own bool) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		own = own || f.Name != "help" && cmd.Root().PersistentFlags().Lookup(f.Name) == nil
	})
	return own
}

// TestFullHelp: --help-all has the whole text of a command and of its flags.
func TestFullHelp(t *testing.T) {
	for _, cmd := range commands(t) {
		help := helpOf(t, cmd, "--help-all")
		narrow(t, cmd.CommandPath(), help)
		words := strings.Join(strings.Fields(help), " ")
		contains(t, words, strings.Join(strings.Fields(cmd.Long), " "), "Examples: ", strings.Join(strings.Fields(cmd.Example), " "))
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			_, usage := pflag.UnquoteUsage(f)
			contains(t, words, "--"+f.Name+" ")
			contains(t, words, strings.Join(strings.Fields(usage), " "))
		})
	}
}

// TestBriefs: every line of the short help belongs to a flag.
func TestBriefs(t *testing.T) {
	known := map[string]bool{}
	for _, cmd := range commands(t) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			known[f.Name], known[strings.TrimPrefix(cmd.CommandPath(), "foray ")+" "+f.Name] = true, true
		})
	}
	for _, list := range []map[string]string{briefs, briefOf} {
		for name := range list {
			if !known[name] {
				t.Errorf("no command has the flag %q", name)
			}
		}
	}
}

// TestTopics: foray help has a page for each topic, and help names all of them.
func TestTopics(t *testing.T) {
	var names []string
	for _, topic := range topics {
		names = append(names, topic.name)
		out, _ := foray(t, 0, "help", topic.name)
		narrow(t, topic.name, out)
		if strings.Join(strings.Fields(out), " ") != strings.Join(strings.Fields(topic.text), " ") {
			t.Errorf("foray help %s prints something else", topic.name)
		}
	}
	if want := "Topics: foray help " + strings.Join(names, "|") + "\n"; topicsLine != want {
		t.Errorf("help has %q, want %q", topicsLine, want)
	}
}
