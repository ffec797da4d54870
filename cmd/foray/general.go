// This file holds the flags of all commands, and what commands say beside their results: the defaults that they
// chose, the log of --verbose, and where results are.

package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/files/location"
)

// addGeneral adds the flags of all commands.
func (a *app) addGeneral(root *cobra.Command) {
	all := root.PersistentFlags()
	all.SortFlags = false
	all.BoolVar(&a.json, "json", false, "print the result as one JSON document on standard output, and nothing else there; docs/json.md lists its fields")
	all.BoolVarP(&a.quiet, "quiet", "q", false, "print errors only, and what -o - and --json print: no summary, notes or progress")
	all.BoolVarP(&a.verbose, "verbose", "v", false, "log each step to standard error, with its time")
	all.BoolVar(&a.progressLines, "progress", false, "print how far a long run is, and the time left, on standard error every 10 s, also if that is not a terminal; for searches from many sources")
	addStores(all)
	all.VarPF(&helpAll{&a.helpAll}, "help-all", "", "show all flags and the details").NoOptDefVal = "true"
}

// printers are the commands whose result is what they print, so that --quiet leaves it.
var printers = []string{"bench", "compare", "completion", "devices", "generate", "help", "info", "version"}

// begin applies the flags of all commands before a command runs.
func (a *app) begin(cmd *cobra.Command, args []string) error {
	switch {
	case a.quiet && a.verbose:
		return usagef("--quiet and --verbose don't go together")
	case a.quiet && a.progressLines:
		return usagef("--quiet and --progress don't go together")
	case a.json && slices.Contains([]string{"completion", "help"}, cmd.Name()):
		return usagef("%s prints text, which has no JSON; leave out --json", cmd.Name())
	case a.json && a.printsData(cmd, args):
		return usagef("-o - and --json both print to standard output; give one of them")
	}
	// Only addresses need the configuration file, so a fault in it doesn't stop other commands.
	restore, origins, err := setStores(cmd.Flags(), strings.Contains(strings.Join(a.args, " "), "://"))
	if a.restore = restore; err != nil {
		return err
	}
	a.origins = strings.NewReplacer(origins...)
	if a.json || a.quiet && !slices.Contains(printers, cmd.Name()) {
		a.stdout = io.Discard
	}
	if a.json || a.quiet || a.verbose {
		a.terminal = false // a bar would stand between the lines of the log
	}
	if a.verbose {
		log := slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
		log.Debug("command", "args", location.Redact(strings.Join(a.args, " ")), "version", version())
		cmd.SetContext(context.WithValue(cmd.Context(), logKey{}, log))
	}
	return nil
}

// printsData reports whether a command writes its output to standard output.
func (a *app) printsData(cmd *cobra.Command, args []string) bool {
	if cmd.Name() == "convert" {
		return len(args) > 0 && args[len(args)-1] == "-"
	}
	o := cmd.Flags().Lookup("output")
	return o != nil && o.Value.String() == "-"
}

type logKey struct{}

// logOf returns the log of --verbose, or nil.
func logOf(ctx context.Context) *slog.Logger {
	log, _ := ctx.Value(logKey{}).(*slog.Logger)
	return log
}

// logStep logs a step, with --verbose.
func logStep(ctx context.Context, step string, args ...any) {
	if log := logOf(ctx); log != nil {
		log.DebugContext(ctx, step, args...)
	}
}

// logPrepared logs what is done once per graph. The libraries log the run itself.
func logPrepared(ctx context.Context, dev device.Device, took time.Duration) {
	logStep(ctx, "prepared", "device", dev.Info().Name, "took", took)
}

// summary is where a command that writes to a file, or "-" for standard output, summarizes its work.
func (a *app) summary(output string) io.Writer {
	if output == "-" && !a.quiet {
		return a.stderr
	}
	return a.stdout
}

// chosen reports a default, and the flag that takes another.
func (a *app) chosen(format string, args ...any) error {
	if a.json {
		return nil
	}
	return a.note("default: "+format, args...)
}

// chosenDevice reports the device that auto chose.
func (a *app) chosenDevice(given, device string) error {
	if given != "auto" {
		return nil
	}
	return a.chosen("device %s, the first that opens and has memory enough; --device takes another", device)
}

// chosenEdges reports the columns of the edges, and that edges are undirected, if no flag sets them.
func (a *app) chosenEdges(in *input, g *graph.Graph) error {
	f := in.flags
	if f.src == "" && f.dst == "" && len(in.parts) == 1 && in.parts[0].arrow != nil {
		s := in.parts[0].arrow.Info()
		err := a.chosen("edges from column %s to %s, by their names; --src and --dst take others", strings.Join(columnNames(s, s.SourceColumns), ", "), strings.Join(columnNames(s, s.TargetColumns), ", "))
		if err != nil {
			return err
		}
	}
	if f.given("directed") || f.appendTo != "" || g.Directed() || in.parts[0].prepared != "" || in.parts[0].gen != nil {
		return nil
	}
	return a.chosen("edges are undirected; --directed keeps their direction")
}

// doneWith is done for commands that write a table with -o.
func (a *app) doneWith(output, what string) {
	switch output {
	case "":
		a.done("no file was written", "-o FILE writes "+what)
	case "-":
		a.done("the result is on standard output", "-o FILE.parquet writes it with its types")
	default:
		a.done("the result is in "+output, "any reader of its format takes it; --json prints the summary for programs")
	}
}

// done sets the last line of the command: where results are, and what may come next.
func (a *app) done(where, next string) { a.last = where + "; next: " + next }

// sayLast prints the last line.
func (a *app) sayLast() error {
	if a.last == "" || a.json {
		return nil
	}
	return a.note("done: %s", a.last)
}

// colored reports whether headings are in bold: on a terminal that has colors, unless the user wants none
// (https://no-color.org).
func colored(terminal bool) bool {
	return terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
