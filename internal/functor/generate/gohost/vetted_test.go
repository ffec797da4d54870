package gohost

import (
	"strings"
	"testing"
)

// TestVetted: what go vet takes for mistakes is gone, and means the same; the rest stays.
func TestVetted(t *testing.T) {
	for from, want := range map[string]string{
		"t || t":                                     "t",
		"(t && (u && t))":                            "(t && (u))",
		"t || u":                                     "t || u",
		"t && u || t && u":                           "t && u",
		"x[i] < 3 || u || x[i] < 3":                  "x[i] < 3 || u",
		"t || load(&t) || t":                         "t || load(&t) || t",
		"u && (u && t)":                              "u && (true && t)",
		"x != uint32(1) || x != uint32(2)":           "x != uint32(1) || !(x == uint32(2))",
		"x == uint32(1) && t && uint32(2) == x":      "x == uint32(1) && t && !(uint32(2) != x)",
		"x == y && x == z":                           "x == y && x == z",
		"x == uint32(1) || x == uint32(2)":           "x == uint32(1) || x == uint32(2)",
		"a && (x != 1 || x != 2) && (x != 1 || y)":   "a && (x != 1 || !(x == 2)) && (x != 1 || y)",
		"(x != 1 || x != 1) && (x != 1 || x != 1)":   "(x != 1)",
		"x == float32(-1.5) && x == float32(2e+300)": "x == float32(-1.5) && !(x != float32(2e+300))",
	} {
		const before, after = "package p\n\nvar _ = ", "\n"
		got, err := vetted([]byte(before + from + after))
		if err != nil {
			t.Fatalf("%s: %v", from, err)
		}
		if s := strings.TrimSuffix(strings.TrimPrefix(string(got), before), after); s != want {
			t.Errorf("%s becomes %s, want %s", from, s, want)
		}
	}
}
