// This file tests scripts/api-check in a clone that lacks the commit to compare with.

package rules

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestAPICheckShallow: in a shallow clone without the commit, scripts/api-check fails and names the command that
// fetches it. With FORAY_API_CHECK=skip it prints that nothing was compared, and succeeds.
func TestAPICheckShallow(t *testing.T) {
	for _, command := range []string{"git", "bash"} {
		if _, err := exec.LookPath(command); err != nil {
			testlong.Missing(t, "git", "needs git and bash:", err)
		}
	}
	script, err := os.ReadFile("../../../scripts/api-check")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	origin, clone := filepath.Join(dir, "origin"), filepath.Join(dir, "clone")
	git := func(args ...string) string {
		t.Helper()
		command := exec.Command("git", append([]string{"-C", origin, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(origin, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("scripts/api-check", string(script))
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "first")
	base := git("rev-parse", "HEAD")
	write("testdata/api/baseline", "# The commit.\n"+base+"\n")
	git("add", ".")
	git("commit", "-q", "-m", "second")
	git("clone", "-q", "--depth", "1", "file://"+filepath.ToSlash(origin), clone)
	for _, c := range []struct {
		env, want string
		fails     bool
	}{
		{"FORAY_API_CHECK=", "api-check: this shallow clone has no commit " + base + ", with which the API is compared; git fetch --depth 1 origin " + base + " brings it; FORAY_API_CHECK=skip leaves the comparison out\n", true},
		{"FORAY_API_CHECK=skip", "api-check: skipped: this shallow clone has no commit " + base + ", with which the API is compared; git fetch --depth 1 origin " + base + " brings it\n", false},
	} {
		command := exec.Command("bash", filepath.Join(clone, "scripts", "api-check"))
		command.Env = append(os.Environ(), c.env)
		out, err := command.CombinedOutput()
		if (err != nil) != c.fails || string(out) != c.want {
			t.Errorf("%s: %v\n%s, want\n%s", c.env, err, out, c.want)
		}
	}
}
