// This file holds bench compare, which lays two measurements side by side.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/internal/text"
)

const compareLong = `Compares two outputs of foray bench --json, by graph and algorithm.

The medians of trials are paired by source: measure both with the same --seed
and --sources, and several times by turns, since machines change their speed.
"ratio" is the median of the new time by the old one: less than 1 is faster.
"95%" bounds it by the sign test, which needs 6 pairs. A ratio whose bounds
contain 1 is marked "~": the two may be equally fast.

Algorithms without a source, such as cc, are compared by their trials: "ratio"
is the median over all pairs of an old and a new one, bounded by the rank sum
test, which needs 4 trials in both (--trials). It knows only how trials of one
process differ, so measure by turns here too.

What differs beside times is printed first: the machine, the driver, versions,
the order, the seed. If graphs or outputs differ, the two are different work.

With --threshold the command fails where an algorithm is slower by more than
that, and its bounds are above 1; where the two are different work; where one
of the two lacks a graph or an algorithm; and where there are too few pairs.
`

func (a *app) compareCommand() *cobra.Command {
	var threshold string
	cmd := &cobra.Command{
		Use:   "compare OLD NEW",
		Short: "Compare two measurements",
		Long:  compareLong,
		Example: `  foray bench gen:kron20 gen:road --json > old.json
  foray bench gen:kron20 gen:road --json > new.json
  foray bench compare old.json new.json --threshold 5%`,
		Args: needArgs(2, 2, "bench compare needs OLD and NEW"),
	}
	g := newGroup(titleOutput)
	g.flags.StringVar(&threshold, "threshold", "", "fail where an algorithm is slower by more than this `SHARE`: 5% or 0.05")
	setFlags(cmd, g)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		part := math.Inf(1)
		if cmd.Flags().Changed("threshold") {
			var err error
			if part, err = share(threshold); err != nil {
				return err
			}
		}
		return a.benchCompare(args[0], args[1], part)
	}
	return cmd
}

// share returns a part of 1, written as such or in percent.
func share(word string) (float64, error) {
	number, percent := strings.CutSuffix(word, "%")
	x, err := strconv.ParseFloat(number, 64)
	if percent {
		x /= 100
	}
	if err != nil || !(x >= 0) || math.IsInf(x, 0) || !percent && x >= 1 {
		return 0, usagef("--threshold %s: want a share such as 5%% or 0.05", word)
	}
	return x, nil
}

func readReports(path string) ([]*bench.Report, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, errors.Unwrap(err))
	}
	defer f.Close()
	if i, err := f.Stat(); err == nil && i.IsDir() {
		return nil, fmt.Errorf("%s: %w: it is a directory", path, fs.ErrInvalid)
	}
	reports, err := bench.ReadJSON(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return reports, nil
}

func (a *app) benchCompare(oldPath, newPath string, threshold float64) error {
	old, err := readReports(oldPath)
	if err != nil {
		return err
	}
	new, err := readReports(newPath)
	if err != nil {
		return err
	}
	all, missing, err := bench.Compare(old, new)
	if err != nil {
		return err
	}
	work, conditions := bench.Differences(old, new)
	a.result = compared(all, work, conditions, missing)
	a.done(fmt.Sprintf("%s and %s are compared", oldPath, newPath), "--threshold 5% fails if one became slower")
	for _, d := range work {
		fmt.Fprintf(a.stdout, "DIFFERENT WORK, which ratios don't compare: %s\n", text.Escape(d))
	}
	for _, d := range conditions {
		fmt.Fprintf(a.stdout, "different %s\n", text.Escape(d))
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "graph\talgorithm\told ms\tnew ms\tratio\t95%\tpairs\t")
	var slower, few []string
	for _, c := range all {
		bounds, mark := "", ""
		if c.Low > 0 {
			bounds = fmt.Sprintf("%.3f to %.3f", c.Low, c.High)
		}
		switch {
		case !c.Enough():
			bounds, few = "too few", append(few, c.Graph+" by "+c.Algorithm)
		case c.Low <= 1 && c.High >= 1:
			mark = " ~"
		}
		pairs := strconv.Itoa(c.Pairs)
		if c.Pairs == 0 {
			pairs = fmt.Sprintf("%d, %d trials", c.Trials[0], c.Trials[1])
		}
		fmt.Fprintf(w, "%s\t%s\t%.3f\t%.3f\t%.3f%s\t%s\t%s\t\n", text.Escape(c.Graph), text.Escape(c.Algorithm), c.OldMS, c.NewMS, c.Ratio, mark, bounds, pairs)
		if c.Slower(threshold) {
			slower = append(slower, c.Graph+" by "+c.Algorithm)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(all) > 0 {
		fmt.Fprintln(a.stdout, "ratio: the new time by the old one, so less than 1 is faster; ~: the bounds of 95% contain 1, so both may be equally fast")
	}
	for _, m := range missing {
		fmt.Fprintf(a.stdout, "only one of the two has %s\n", text.Escape(m))
	}
	if !math.IsInf(threshold, 1) && len(work) > 0 {
		return fmt.Errorf("--threshold compares the same work, and the two differ in %s", strings.Join(work, "; "))
	}
	if !math.IsInf(threshold, 1) && len(missing) > 0 {
		return fmt.Errorf("--threshold compares everything, and only one of the two has %s", strings.Join(missing, "; "))
	}
	if !math.IsInf(threshold, 1) && len(few) > 0 {
		return fmt.Errorf("--threshold needs 6 sources in both for bounds, or 4 trials without a source; measure %s with more --sources or --trials", strings.Join(few, ", "))
	}
	if len(slower) > 0 {
		return fmt.Errorf("slower by more than --threshold: %s", strings.Join(slower, ", "))
	}
	return nil
}
