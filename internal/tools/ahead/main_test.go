package main

import (
	"os/exec"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestNoneLacks runs the algorithms and looks for each module that they make in the pack.
func TestNoneLacks(t *testing.T) {
	testlong.Project(t)
	if _, err := exec.LookPath("g++"); err != nil {
		testlong.Missing(t, "compiler", "needs g++, to build the emulated GPU")
	}
	if err := run("../../..", false, true); err != nil {
		t.Error(err)
	}
}
