// This file tests that faults on other systems are found.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestCheck has modules with one fault each, of which every other system has to be free.
func TestCheck(t *testing.T) {
	testlong.Project(t)
	for name, c := range map[string]struct {
		files  map[string]string
		system string // that has the fault
		others string
		want   string
	}{
		"undefined on darwin": {map[string]string{
			"a.go": "package a\n\nfunc A() int { return b() }\n", "a_linux.go": "package a\n\nfunc b() int { return 1 }\n",
			"a_windows.go": "package a\n\nfunc b() int { return 2 }\n",
		}, "darwin/arm64", "linux/riscv64 windows/amd64", "a.go:3:23: undefined: b"},
		"a wrong constraint": {map[string]string{
			"a.go": "package a\n\nconst A = b\n", "b.go": "//go:build unix\n\npackage a\n\nconst b = 1\n",
			"c.go": "//go:build !linux\n\npackage a\n\nconst b = 2\n",
		}, "darwin/arm64", "linux/amd64 windows/amd64", "b redeclared"},
		"a type of one system": {map[string]string{
			"a.go": "package a\n\nimport \"syscall\"\n\nvar S = syscall.SysProcAttr{Setpgid: true}\n",
		}, "windows/amd64", "darwin/arm64 linux/riscv64", "unknown field Setpgid"},
		"overflow on 32 bits": {map[string]string{
			"a.go": "package a\n\nvar A int = 1 << 40\n",
		}, "linux/386", "linux/riscv64", "overflows"},
		"an import left over": {map[string]string{
			"a.go": "package a\n", "a_riscv64.go": "package a\n\nimport \"math\"\n",
		}, "linux/riscv64", "linux/amd64", `"math" imported and not used`},
		"no body without assembly": {map[string]string{
			"a.go": "package a\n\nfunc A()\n", "a_arm64.s": "// A\n", "a_amd64.s": "// A\n",
		}, "linux/riscv64", "darwin/arm64 linux/amd64", "a.go:3:1: function A has no body"},
		"in a test": {map[string]string{
			"a.go": "package a\n", "a_test.go": "package a_test\n\nimport _ \"m/b\"\n\nvar _ = only\n",
			"b/b.go": "package b\n", "b_windows_test.go": "package a_test\n\nconst only = 1\n",
		}, "linux/amd64", "windows/amd64", "a_test.go:5:9: undefined: only"},
		"with a tag": {map[string]string{
			"a.go": "//go:build !small\n\npackage a\n\nfunc A() {}\n", "b.go": "package a\n\nvar B = A\n",
		}, "linux/amd64,small", "linux/amd64 linux/amd64,large", "b.go:3:9: undefined: A"},
		"with cgo": {map[string]string{
			"a.go": "package a\n\n// int f(void);\nimport \"C\"\n\nvar A string = 1\n\nvar B = C.f()\n", "b.go": "package a\n",
		}, "linux/amd64,cgo", "linux/amd64", "a.go:6:16: cannot use 1"},
		"no file for an import": {map[string]string{
			"a.go": "package a\n\nimport _ \"m/b\"\n", "b/b_darwin.go": "package b\n",
		}, "windows/amd64", "darwin/arm64", "build constraints exclude all Go files"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.files["go.mod"] = "module m\n\ngo 1.25\n"
			for file, text := range c.files {
				file = filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			said := func(target string) string {
				_, offenses, err := check(dir, target)
				if err != nil {
					offenses = append(offenses, err.Error())
				}
				return strings.Join(offenses, "\n")
			}
			if got := said(c.system); strings.Count(got, c.want) != 1 {
				t.Errorf("%s: %q, want once %q", c.system, got, c.want)
			}
			for _, other := range strings.Fields(c.others) {
				if got := said(other); got != "" {
					t.Errorf("%s: %s", other, got)
				}
			}
		})
	}
	if _, _, err := check(t.TempDir(), "linux/abacus"); err == nil || !strings.Contains(err.Error(), `unknown processor "abacus"`) {
		t.Errorf("an unknown processor: %v", err)
	}
}
