// Package testlong selects the short or the long form of tests: the short one for go test ./...,
// the long one if the environment variable FORAY_TEST_LONG is 1, as in scripts/long-tests.
package testlong

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Long reports whether tests take their long form.
func Long() bool {
	v := os.Getenv("FORAY_TEST_LONG")
	return v != "" && v != "0"
}

// Of returns how much a test does, of its two forms.
func Of[T any](short, long T) T {
	if Long() {
		return long
	}
	return short
}

// skipper is a test that may be skipped.
type skipper interface {
	Helper()
	Skip(args ...any)
}

// Project skips a test that a user's go test ./... does without: of the project itself (that documents, programs,
// generated code and kernels' arguments fit the code), and others that take seconds. It runs with
// FORAY_TEST_PROJECT=1, which CI sets, and in the long form.
func Project(t skipper) {
	t.Helper()
	if os.Getenv("FORAY_TEST_PROJECT") != "1" && !Long() {
		t.Skip("needs FORAY_TEST_PROJECT=1: it takes seconds, for those who change Foray")
	}
}

// Only skips a test outside of the long form, which the gate does without too: faults by the thousand, stores,
// killed processes, large inputs. scripts/long-tests must have its package, which a rule checks.
func Only(t skipper) {
	t.Helper()
	if !Long() {
		t.Skip("needs FORAY_TEST_LONG=1: it takes long, and scripts/long-tests runs it")
	}
}

// Rounds is Of for a number of random cases. The environment variable FORAY_TEST_ROUNDS sets the number, for
// a run of any length.
func Rounds(short, long int) int {
	if n, err := strconv.Atoi(os.Getenv("FORAY_TEST_ROUNDS")); err == nil && n > 0 {
		return n
	}
	return Of(short, long)
}

// Seed is what a random test begins with; the environment variable FORAY_TEST_SEED sets another.
func Seed(usual uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv("FORAY_TEST_SEED"), 10, 64); err == nil {
		return n
	}
	return usual
}

// Missing skips a test because something outside of the project is missing. If the environment variable
// FORAY_TEST_NEEDS has its name, among others with commas between, the test fails: so CI notices
// everything that is missing.
func Missing(t interface {
	Helper()
	Skip(args ...any)
	Fatal(args ...any)
}, name string, why ...any) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("FORAY_TEST_NEEDS"), ","), name) {
		t.Fatal(why...)
	}
	t.Skip(why...)
}

// Without skips a test because the system refuses something that not all systems have, such as symbolic links: by
// errors.ErrUnsupported or fs.ErrPermission, or by any error on Windows. Another error fails the test.
func Without(t interface {
	Helper()
	Skip(args ...any)
	Fatal(args ...any)
}, why string, err error) {
	t.Helper()
	if runtime.GOOS != "windows" && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrPermission) {
		t.Fatal(err)
	}
	t.Skip(why+":", err)
}

// collectAt is GOGC of tests that load small inputs by the thousand: their heaps are small, and collecting less often
// takes a third off their time.
const collectAt = 300

// Main is a TestMain of such tests. GOGC in the environment counts instead, as of processes whose memory a test measures.
func Main(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	os.Exit(m.Run())
}

// AtOnce runs a subtest for each of the values, so many at a time, whatever -parallel says: for those that
// mostly wait for processes.
func AtOnce[T any](t *testing.T, atOnce int, values []T, name func(T) string, test func(*testing.T, T)) {
	var wg sync.WaitGroup
	free := make(chan struct{}, atOnce)
	for _, v := range values {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			t.Run(name(v), func(t *testing.T) { test(t, v) })
		})
	}
	wg.Wait()
}
