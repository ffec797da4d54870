package source

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// seeds are sources to mangle: what is accepted, and what is refused.
func seeds(t testing.TB) (list []string) {
	files, err := filepath.Glob("constructs/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no constructs", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(text))
	}
	list = append(list, header+relax, header+generic)
	for _, c := range refused {
		list = append(list, refusedHeader+c.code+refusedFooter)
	}
	for _, c := range slices.Concat(refusedFunctors, refusedGeneric, refusedMarks) {
		if len(c.code) < 1000 {
			list = append(list, header+c.code)
		}
	}
	return list
}

// TestMangled mangles sources: tokens are removed, repeated, exchanged. Whatever comes out,
// there is a functor whose IR is right, or errors; no panic. FORAY_MANGLED is their number.
func TestMangled(t *testing.T) {
	n := 3000
	if s := os.Getenv("FORAY_MANGLED"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	r := rand.New(rand.NewPCG(14, uint64(n)))
	list := seeds(t)
	var words []string
	for _, s := range list {
		words = append(words, split(s)...)
	}
	accepted := 0
	for range n {
		w := split(list[r.IntN(len(list))])
		kind := 5
		if r.IntN(3) > 0 {
			kind = 1 // most stay Go then
		}
		for range 1 + r.IntN(4) {
			i := r.IntN(len(w))
			if kind == 1 {
				x := words[r.IntN(len(words))]
				for tries := 0; tries < 50 && (letter(x[0]) != letter(w[i][0]) || w[i][0] <= ' '); tries++ {
					i, x = r.IntN(len(w)), words[r.IntN(len(words))]
				}
				w[i] = x
				continue
			}
			switch r.IntN(kind) {
			case 0:
				w[i] = ""
			case 1:
				w[i] = words[r.IntN(len(words))]
			case 2:
				w[i] += words[r.IntN(len(words))]
			case 3:
				j := r.IntN(len(w))
				w[i], w[j] = w[j], w[i]
			case 4:
				j := min(len(w), i+1+r.IntN(8))
				w[i] = strings.Repeat(strings.Join(w[i:j], ""), 1+r.IntN(3))
			}
		}
		text := strings.Join(w, "")
		func() {
			defer func() {
				if x := recover(); x != nil {
					t.Fatalf("%v:\n%s", x, text)
				}
			}()
			if p, err := checkText(t, text); err == nil {
				accepted++
				for _, f := range p.Functors {
					_ = f.String()
					if err := invalid(f); err != nil {
						t.Errorf("%v:\n%s\n%s", err, text, f)
					}
				}
			}
		}()
	}
	if accepted == 0 || accepted == n {
		t.Errorf("%d of %d mangled sources are accepted", accepted, n)
	}
}

// split splits a source into words and what is between them.
func split(s string) (out []string) {
	for i := 0; i < len(s); {
		j := i + 1
		for letter(s[i]) && j < len(s) && letter(s[j]) {
			j++
		}
		out = append(out, s[i:j])
		i = j
	}
	return out
}

func letter(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
