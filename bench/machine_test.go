package bench

import "testing"

func TestDriverVersion(t *testing.T) {
	for said, want := range map[string]string{
		"NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Wed Nov  5 01:10:02 UTC 2025\nGCC version:  gcc version 12.2.0\n": "580.159.04",
		"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  535.104.05  Release Build":                                           "535.104.05",
		"": "", "GCC version: 12.2.0": "",
	} {
		if got := driverVersion([]byte(said)); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}

// TestOtherReach: two searches from a vertex that reach other numbers of vertices aren't the same work.
func TestOtherReach(t *testing.T) {
	report := func(reached int) *Report {
		return &Report{Graph: Graph{Name: "g", Vertices: 9}, Results: []Result{{Algorithm: "bfs", Sources: []Source{{ID: "7", Reached: reached}}}}}
	}
	for reached, want := range map[int]int{5: 0, 4: 1, 0: 0} {
		if work, _ := Differences([]*Report{report(5)}, []*Report{report(reached)}); len(work) != want {
			t.Errorf("5 and %d reached: %q", reached, work)
		}
	}
}
