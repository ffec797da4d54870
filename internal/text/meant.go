// This file finds names that were probably meant.

package text

import (
	"fmt"
	"strings"
)

// Meant asks, for messages, for the names that are like one that isn't there: the
// same but for the case of letters, or up to two letters away (one, where the name
// has less than five). It is empty where none is, else it begins with a semicolon.
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

// like reports whether a can be made b by at most so many letters added, left out,
// replaced, or swapped with their neighbours.
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
