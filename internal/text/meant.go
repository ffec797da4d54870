// This file finds names that were probably meant.

package text

import (
	"fmt"
	"strings"
)

// Meant suggests, for messages, the names that resemble a missing one: the
// same except for the case of letters, or up to two letters away (one, if the name
// has fewer than five). The text begins with a semicolon; it is empty if no name is like it.
func Meant(name string, names []string) string {
	const most = 3
	near := 2
	if len(name) < 5 { // else src is like dst
		near = 1
	}
	var found []string
	for _, n := range names {
		if len(found) < most && like(strings.ToLower(name), strings.ToLower(n), near) {
			found = append(found, fmt.Sprintf("%.64q", n))
		}
	}
	if len(found) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(found, " or ") + "?"
}

// like reports whether a becomes b by at most most letters added, left out,
// replaced, or swapped with their neighbors.
func like(a, b string, most int) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > 100 || len(x)-len(y) > most || len(y)-len(x) > most {
		return a == b
	}
	before, last, now := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range now {
		now[j] = j
	}
	for i := range x {
		before, last, now = last, now, before
		now[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			now[j+1] = min(last[j]+cost, last[j+1]+1, now[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				now[j+1] = min(now[j+1], before[j-1]+1)
			}
		}
	}
	return now[len(y)] <= most
}
