// This file holds help: the short one that fits a screen, the full one of --help-all, and the groups of flags.

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const rootLong = `Foray searches graphs breadth-first and runs other algorithms over them.

Graphs come from Parquet and Arrow files, from text (edge lists, CSV, Matrix
Market, DIMACS) or are generated. Results go to a table on the screen, to a
picture, and to Parquet, Arrow, CSV or JSON lines. foray devices lists the
available devices.`

const rootExample = `  foray bfs testdata/karate.parquet --source 1
  foray bfs 'lake/follows/*.parquet' --source 42 --parents -o depths.parquet
  foray run follows/ --directed --do 'cc --strong' --do bfs:42 -o results/
  foray info road.gr.gz
  foray bench gen:kron20 --algo dobfs,bfs`

// helpWidth is how wide help is: a screen's lines.
const helpWidth = 80

// shortExamples is how many examples the short help has.
const shortExamples = 3

// The titles of groups of flags, in the order in which help has them in every command.
const (
	titleAlgorithm = "Algorithm"
	titleInput     = "Input"
	titleOutput    = "Output"
	titleDevice    = "Device"
	titleStores    = "Stores"
	titleProcesses = "Processes (mpirun, torchrun)"
	titleGeneral   = "General"
)

var groupTitles = []string{titleAlgorithm, titleInput, titleOutput, titleDevice, titleStores, titleProcesses, titleGeneral}

// titleOf are the groups of flags that are in one group in every command, whatever adds them.
var titleOf = map[string]string{
	"device": titleDevice, "devices": titleDevice, "workers": titleDevice, "gpu-memory": titleDevice, "memory-limit": titleDevice, "two-pass": titleDevice,
	"json": titleOutput,
}

// flagGroup is flags that help shows under a title.
type flagGroup struct {
	title string
	flags *pflag.FlagSet
}

func newGroup(title string) flagGroup {
	f := flagGroup{title, pflag.NewFlagSet(title, pflag.ContinueOnError)}
	f.flags.SortFlags = false
	return f
}

// groupKey is the annotation of flags that has the title of their group.
const groupKey = "foray_group"

// argumentKey is the annotation of a command with the lines about its argument in the short help.
const argumentKey = "foray_argument"

// setFlags gives a command its flags. Help shows a flag without a group under the last title.
func setFlags(cmd *cobra.Command, groups ...flagGroup) {
	cmd.Flags().SortFlags = false
	for _, g := range groups {
		g.flags.VisitAll(func(f *pflag.Flag) { _ = g.flags.SetAnnotation(f.Name, groupKey, []string{g.title}) })
		cmd.Flags().AddFlagSet(g.flags)
	}
}

// titled returns a command's flags with this title, in the order in which they were added.
func titled(cmd *cobra.Command, title string) *pflag.FlagSet {
	g := newGroup(title)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		of := titleGeneral
		if t, ok := titleOf[f.Name]; ok {
			of = t
		} else if t := f.Annotations[groupKey]; len(t) > 0 {
			of = t[0]
		}
		if of == title && !f.Hidden {
			g.flags.AddFlag(f)
		}
	})
	return g.flags
}

// helpAll is the flag that ends the command line as --help does, with more of it.
type helpAll struct{ all *bool }

func (*helpAll) String() string { return "false" }
func (*helpAll) Type() string   { return "bool" }
func (h *helpAll) Set(string) error {
	*h.all = true
	return pflag.ErrHelp
}

// help prints the help of a command.
func (a *app) help(cmd *cobra.Command, _ []string) {
	cmd.InitDefaultHelpFlag() // which merges the flags of all commands, too
	w := &strings.Builder{}
	switch {
	case a.helpAll:
		helpInFull(w, cmd)
	case !cmd.HasParent():
		helpOfRoot(w, cmd)
	default:
		shortHelp(w, cmd)
	}
	io.WriteString(cmd.OutOrStdout(), w.String()) // the writer keeps an error
}

// helpInFull writes everything about a command.
func helpInFull(w *strings.Builder, cmd *cobra.Command) {
	fmt.Fprintf(w, "%s\n\nUsage:\n  %s\n\nExamples:\n%s\n", filled(cmd.Long), cmd.UseLine(), cmd.Example)
	listCommands(w, cmd)
	for _, title := range groupTitles {
		if flags := titled(cmd, title); flags.HasAvailableFlags() {
			fmt.Fprintf(w, "\n%s:\n%s", title, flags.FlagUsagesWrapped(helpWidth))
		}
	}
	fmt.Fprintf(w, "\n%s", topicsLine)
}

// shortHelp writes what most users need of a command: it fits a screen.
func shortHelp(w *strings.Builder, cmd *cobra.Command) {
	examples := strings.Split(cmd.Example, "\n")
	examples = examples[:min(shortExamples, len(examples))]
	fmt.Fprintf(w, "%s.\n\nUsage:\n  %s\n\n%sExamples:\n%s\n", cmd.Short, cmd.UseLine(), cmd.Annotations[argumentKey], strings.Join(examples, "\n"))
	listCommands(w, cmd)
	type row struct{ name, what string }
	groups, width := map[string][]row{}, 0
	for _, title := range groupTitles {
		titled(cmd, title).VisitAll(func(f *pflag.Flag) {
			if what := brief(cmd, f); what != "" {
				r := row{flagName(f), what}
				groups[title], width = append(groups[title], r), max(width, len(r.name))
			}
		})
	}
	for _, title := range groupTitles {
		for i, r := range groups[title] {
			if i == 0 {
				fmt.Fprintf(w, "\n%s:\n", title)
			}
			fmt.Fprintf(w, "  %-*s  %s\n", width, r.name, r.what)
		}
	}
	fmt.Fprintf(w, "\nAll flags and details: %s --help-all\n%s", cmd.CommandPath(), topicsLine)
}

// filled breaks the lines of paragraphs, and leaves lines that are indented as they are.
func filled(s string) string {
	var lines []string
	open := false // the last line is of a paragraph
	for line := range strings.SplitSeq(strings.TrimSpace(s), "\n") {
		if line == "" || line[0] == ' ' {
			lines, open = append(lines, line), false
			continue
		}
		for word := range strings.FieldsSeq(line) {
			last := len(lines) - 1
			if !open || utf8.RuneCountInString(lines[last])+1+utf8.RuneCountInString(word) > helpWidth {
				lines, open = append(lines, word), true
				continue
			}
			lines[last] += " " + word
		}
	}
	return strings.Join(lines, "\n")
}

// listCommands lists the commands below one.
func listCommands(w *strings.Builder, cmd *cobra.Command) {
	for i, c := range cmd.Commands() {
		if i == 0 {
			fmt.Fprintf(w, "\nCommands:\n")
		}
		fmt.Fprintf(w, "  %-11s  %s\n", c.Name(), c.Short)
	}
}

// flagName is a flag as it is typed, with the name of its value.
func flagName(f *pflag.Flag) string {
	s := "    --" + f.Name
	if f.Shorthand != "" {
		s = "-" + f.Shorthand + ", --" + f.Name
	}
	value, _ := pflag.UnquoteUsage(f)
	return strings.TrimSuffix(s+" "+value, " ")
}

// helpOfRoot lists the commands.
func helpOfRoot(w *strings.Builder, root *cobra.Command) {
	what, _, _ := strings.Cut(rootLong, "\n")
	examples := strings.Split(rootExample, "\n")[:shortExamples]
	fmt.Fprintf(w, "%s\n\nUsage:\n  foray COMMAND [flags]\n\nExamples:\n%s\n", what, strings.Join(examples, "\n"))
	for _, g := range root.Groups() {
		fmt.Fprintf(w, "\n%s\n", g.Title)
		for _, c := range root.Commands() {
			if c.GroupID == g.ID {
				fmt.Fprintf(w, "  %-11s  %s\n", c.Name(), c.Short)
			}
		}
	}
	fmt.Fprintf(w, "\nHelp for a command: foray COMMAND --help (all of it: --help-all)\n%s", topicsLine)
}

// helpCommand prints the help of a command or a topic.
func (a *app) helpCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:                   "help [COMMAND|TOPIC]",
		Short:                 "Show help for a command or a topic",
		Long:                  "Shows the help of a command, as COMMAND --help does, or a page about a topic.\nThe topic devices has more than the help of the command of that name.",
		Example:               "  foray help bfs\n  foray help where\n  foray help bench paper",
		GroupID:               groupOther,
		DisableFlagsInUseLine: true,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, c := range cmd.Root().Commands() {
				names = append(names, c.Name())
			}
			for _, t := range topics {
				if !slices.Contains(names, t.name) {
					names = append(names, t.name)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, t := range topics {
				if len(args) == 1 && args[0] == t.name {
					_, err := fmt.Fprintln(a.data, filled(t.text))
					return err
				}
			}
			c, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("unknown command %q", strings.Join(args, " "))
			}
			return c.Help()
		},
	}
	setFlags(cmd)
	return cmd
}

// completionCommand prints the script that completes command lines in a shell.
func (a *app) completionCommand() *cobra.Command {
	plain := false
	cmd := &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a script that completes command lines in a shell",
		Long: `Prints a script for SHELL: bash, zsh, fish or powershell. With it the Tab key
completes commands, flags and their values: names of columns in the given files,
devices and algorithms. Load it in each session:

  bash        source <(foray completion bash), in ~/.bashrc
  zsh         source <(foray completion zsh), in ~/.zshrc after compinit
  fish        foray completion fish | source, in ~/.config/fish/config.fish
  powershell  foray completion powershell | Out-String | Invoke-Expression

bash needs the package bash-completion.`,
		Example:   "  source <(foray completion bash)\n  foray completion zsh > ~/.zfunc/_foray\n  foray completion fish --no-descriptions | source",
		GroupID:   groupOther,
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Args:      needArgs(1, 1, "completion needs a SHELL: bash, zsh, fish or powershell"),
	}
	g := newGroup(titleOutput)
	g.flags.BoolVar(&plain, "no-descriptions", false, "complete names without descriptions")
	setFlags(cmd, g)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		root := cmd.Root()
		switch args[0] {
		case "bash":
			return root.GenBashCompletionV2(a.data, !plain)
		case "zsh":
			if plain {
				return root.GenZshCompletionNoDesc(a.data)
			}
			return root.GenZshCompletion(a.data)
		case "fish":
			return root.GenFishCompletion(a.data, !plain)
		case "powershell":
			if plain {
				return root.GenPowerShellCompletion(a.data)
			}
			return root.GenPowerShellCompletionWithDesc(a.data)
		}
		return usagef("there is no completion for %q; shells are bash, zsh, fish and powershell", args[0])
	}
	return cmd
}
