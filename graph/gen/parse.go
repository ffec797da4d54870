// This file holds specs: how a graph is named on a command line. The families
// are in kinds.go.

package gen

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/foray-graph/foray/internal/text"
)

// specError is the error of an invalid spec. It wraps ErrSpec.
type specError struct {
	Spec    string // as it was given
	Problem string // what is wrong, and what would be right
}

func (e *specError) Error() string { return fmt.Sprintf("gen: spec %.100q: %s", e.Spec, e.Problem) }

func (e *specError) Unwrap() error { return ErrSpec }

// Parse returns the generator of a spec. A spec is the name of a family, as
// Usage lists them, and after a colon, separated by commas, a size, options as
// key=value, and flags:
//
//	kron20                              Graph500's R-MAT with 2^20 vertices
//	kron:scale=20,edgefactor=8,seed=1   the same with half the edges, another seed
//	urand20                             uniform, 2^20 vertices
//	urand:n=1000000,edgefactor=4        uniform, 1000000 vertices
//	grid2d                              lattice of 2000 by 2000
//	grid2d:300x200,torus                lattice without borders
//	grid3d:100x100x100                  lattice in three dimensions
//	hubs:1000x1000,p=0.001,degree=1000  lattice in which 1000 vertices have 1000 random edges more
//	road                                road-like, 2000 by 2000 vertices
//	road:400x200,seed=7                 a smaller one, another seed
//	smallworld:n=1000000,k=8,p=0.1      Watts and Strogatz
//	star:1000, path:1000, cycle:1000    1000 vertices
//	grid2d:weights=1:100                any of them with whole weights from 1 to 100
//	kron20:weights=0.5:2,weightseed=7   and with others, as a bound has a point or exponent
//
// The default seed is 0. Weights use the seed of the edges unless weightseed
// is set, and all specs with weights take a seed. All errors wrap ErrSpec.
func Parse(spec string) (Generator, error) {
	name, rest, colon := strings.Cut(spec, ":")
	k := kindOf(name)
	scale := ""
	if k == nil {
		base := strings.TrimRight(name, "0123456789")
		if k = kindOf(base); k == nil || k.shape != shapeScale {
			return nil, &specError{spec, fmt.Sprintf("no graph %.100q; there are %s", name, kindNames())}
		}
		scale = name[len(base):]
	}
	a := args{spec: spec, kind: k, values: map[string]string{}}
	if scale != "" {
		a.values["scale"] = scale
	}
	if colon {
		a.weighted = strings.HasPrefix(rest, "weights=") || strings.Contains(rest, ",weights=")
		for _, s := range strings.Split(rest, ",") {
			if err := a.set(s); err != nil {
				return nil, err
			}
		}
	}
	g, err := k.make(&a)
	if a.err != nil {
		return nil, a.err
	}
	if err == nil && a.weighted {
		g, err = a.weights(g)
	}
	if a.err != nil {
		return nil, a.err
	}
	if err != nil {
		return nil, text.Named(fmt.Sprintf("gen: spec %.100q: %s", spec, strings.TrimPrefix(err.Error(), "gen: ")), err)
	}
	return g, nil
}

// args are the arguments of a spec. The getters remember the first error, so
// that makers need not test for one between them.
type args struct {
	spec   string
	kind   *kind
	size   []uint64          // the bare size, such as 2000x1000
	values map[string]string // options and flags; a flag's value is empty
	err    error

	weighted bool // weights are asked for
}

func (a *args) fail(format string, v ...any) error {
	if a.err == nil {
		a.err = &specError{a.spec, fmt.Sprintf(format, v...)}
	}
	return a.err
}

// set takes one argument: a size, an option or a flag.
func (a *args) set(s string) error {
	key, value, isOption := strings.Cut(s, "=")
	if !isOption && key != "" && key[0] >= '0' && key[0] <= '9' {
		return a.setSize(s)
	}
	flag := slices.Contains(a.kind.flags, key)
	switch {
	case key == "weights", (key == "weightseed" || key == "seed") && a.weighted:
		flag = false
	case !flag && !slices.Contains(a.kind.options, key):
		if strings.Contains(s, "weights=") { // 20:weights=1:9
			return a.fail("%s has no option %.100q; %s, and weights after a comma: ,weights=MIN:MAX", a.kind.Name, key, a.kind.takes())
		}
		return a.fail("%s has no option %.100q; %s", a.kind.Name, key, a.kind.takes())
	case flag && isOption:
		return a.fail("%s takes no value", key)
	}
	if !flag && value == "" {
		return a.fail("%s lacks a value; write %s=VALUE", key, key)
	}
	if _, twice := a.values[key]; twice {
		return a.fail("%s is given twice", key)
	}
	a.values[key] = value
	return nil
}

func (a *args) setSize(s string) error {
	if a.kind.sides() == 0 {
		return a.fail("%s takes no size like %s; %s", a.kind.Name, s, a.kind.takes())
	}
	if a.size != nil {
		return a.fail("a second size, %s", s)
	}
	parts := strings.Split(s, "x")
	if len(parts) != a.kind.sides() {
		return a.fail("size %s; %s", s, a.kind.takes())
	}
	for _, p := range parts {
		n, err := strconv.ParseUint(p, 10, 64)
		if err != nil {
			return a.fail("size %s: %q is not a number, or too large", s, p)
		}
		a.size = append(a.size, n)
	}
	return nil
}

// given reports whether an option or flag is there.
func (a *args) given(key string) bool {
	_, ok := a.values[key]
	return ok
}

// uint returns the value of an option, or usual where it isn't there.
func (a *args) uint(key string, usual uint64) uint64 {
	s, ok := a.values[key]
	if !ok {
		return usual
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		a.fail("%s=%s: a whole number from 0 to 2^64-1 is wanted", key, s)
	}
	return n
}

// positive is uint for small numbers that are at least 1.
func (a *args) positive(key string, usual uint64) int {
	const most = 1<<31 - 1
	n := a.uint(key, usual)
	if n < 1 || n > most {
		a.fail("%s=%d: a whole number from 1 to %d is wanted", key, n, most)
		return 0
	}
	return int(n)
}

// float returns the value of an option, or usual where it isn't there.
func (a *args) float(key string, usual float64) float64 {
	s, ok := a.values[key]
	if !ok {
		return usual
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		a.fail("%s=%s: a number is wanted", key, s)
	}
	return x
}

// vertices returns the number of vertices, which is a bare size or n.
func (a *args) vertices() uint64 {
	switch {
	case a.size != nil && a.given("n"):
		a.fail("the number of vertices is given twice")
	case a.size != nil:
		return a.size[0]
	case !a.given("n"):
		a.fail("no size; %s", a.kind.takes())
	}
	return a.uint("n", 0)
}

// sidesOr returns the sides, or usual ones where there are none.
func (a *args) sidesOr(usual ...uint64) []uint64 {
	if a.size != nil {
		return a.size
	}
	if len(usual) == 0 {
		a.fail("no size; %s", a.kind.takes())
		return make([]uint64, a.kind.sides())
	}
	return usual
}

// specWriter puts a spec together.
type specWriter struct{ name, args string }

func (s *specWriter) addBare(v any) {
	sep := ","
	if s.args == "" {
		sep = ":"
	}
	s.args += sep + fmt.Sprint(v)
}

func (s *specWriter) add(key string, v any) { s.addBare(fmt.Sprintf("%s=%v", key, v)) }

// addUnless adds an option unless it has its usual value.
func (s *specWriter) addUnless(key string, v, usual uint64) {
	if v != usual {
		s.add(key, v)
	}
}

func (s *specWriter) String() string { return s.name + s.args }

// log2 returns the logarithm of a power of two, 0 for any other number.
func log2(n uint64) int {
	if n == 0 || n&(n-1) != 0 {
		return 0
	}
	return bits.Len64(n) - 1
}
