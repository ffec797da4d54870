// This file holds the rule on pipes in scripts: none into a command that stops reading early.

package rules

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// stopsReading fits a pipe into a command that ends before its input does. With pipefail the script fails then
// whenever the command before the pipe still writes: SIGPIPE ends that one. It is a matter of timing.
var stopsReading = regexp.MustCompile(`(?:^|[^|])\|\s*(grep\s+(-\S+\s+)*-[a-zA-Z]*[qm]|head\b|sed\s+(-n\s+)?\S*q\b)`)

func TestPipes(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	files := []string{filepath.Join(root, ".ci", "run"), filepath.Join(root, "libforay", "build")}
	scripts, err := filepath.Glob(filepath.Join(root, "scripts", "*"))
	if err != nil || len(scripts) < 5 {
		t.Fatalf("scripts has %d files: %v", len(scripts), err)
	}
	for _, name := range append(files, scripts...) {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(source), "\n") {
			if pipe := stopsReading.FindString(line); pipe != "" && !strings.HasPrefix(strings.TrimSpace(line), "#") {
				t.Errorf("%s:%d: %q ends before its input does, and pipefail makes that a failure at times: write to a file, or use <<<", name, i+1, pipe)
			}
		}
	}
	for line, fits := range map[string]bool{
		"./foray devices | grep -q GPU":     true,
		"a | grep -E -q b":                  true,
		"a | grep -qE b":                    true,
		"a | head -1":                       true,
		"a | sed -n 1q":                     true,
		"grep -q GPU <<<$devices":           false,
		"a | grep -c b || grep -q c d":      false,
		"a | sed -n 1p":                     false,
		"go list | xargs -n1 dirname":       false,
		"sed -n 's/a/b/p;T;q' CHANGELOG.md": false,
	} {
		if stopsReading.MatchString(line) != fits {
			t.Errorf("%q: fits %v", line, !fits)
		}
	}
}
