// Package loops runs random functors as Go compiled them: their methods, called edge by edge, and
// the generated host loops. Only test programs that are generated around it use it.
package loops

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/testing/functorfuzz"
	"github.com/foray-graph/foray/operators"
)

// Generated is a random functor: its seed, what makes a pointer to its struct, and what calls the
// constructor that was generated.
type Generated struct {
	Seed uint64
	Go   func() any
	New  func(b *Bound) any
}

// Record is what Go's methods left of tiles, and how host loops differed from that.
type Record struct {
	Seed    uint64
	Case    int
	Left    functorfuzz.Left
	Callers []int               // lines of the functor from which the one that faulted in Go was called
	Faults  []functorfuzz.Fault // of the host loops
	Differs string              // but for faults
}

// Seed is the seed of a case of a functor.
func Seed(functor uint64, k int) uint64 { return functor<<8 + uint64(k) }

// Run runs a functor's loops over cases tiles.
func Run(m Generated, cases int) (all []Record) {
	s := functorfuzz.GenerateSource(m.Seed)
	for k := range cases {
		t := s.Case.Tiles(Seed(m.Seed, k))
		rec := Record{Seed: m.Seed, Case: k}
		left, callers := byGo(t, m.Go())
		rec.Left, rec.Callers = *left, callers
		for _, w := range ways {
			got := w.run(t, m)
			rec.Faults = append(rec.Faults, got.Fault)
			got.Fault = rec.Left.Fault
			if d := t.Differ(&rec.Left, got, nil); d != "" {
				rec.Differs += fmt.Sprintf("host loop %s: %s\n", w.name, d)
			}
		}
		all = append(all, rec)
	}
	return all
}

// byGo calls the methods of a functor: a pointer to its struct.
func byGo(t *functorfuzz.Tiles, self any) (left *functorfuzz.Left, callers []int) {
	functorfuzz.Fill(self, &functorfuzz.Case{Functor: t.Functor}, t.Data)
	v := reflect.ValueOf(self)
	left = &functorfuzz.Left{}
	left.Out = t.Walk(func(m *ir.Method, in *functorfuzz.Inputs) (uint64, bool) {
		x, fault, from := call(v, m, in)
		if fault.Line != 0 && left.Fault.Line == 0 {
			left.Fault, callers = fault, from
		}
		return x, fault.Line == 0
	})
	left.Slices = functorfuzz.Slices(self, t.Functor)
	return left, callers
}

// call calls a method. A panic is a fault.
func call(v reflect.Value, m *ir.Method, in *functorfuzz.Inputs) (result uint64, fault functorfuzz.Fault, callers []int) {
	defer func() {
		if x := recover(); x != nil {
			at := lines()
			result, fault, callers = 0, functorfuzz.Fault{Line: at[0]}, at[1:]
			text := fmt.Sprint(x)
			var index string
			if strings.Contains(text, "divide by zero") {
				fault.Zero = true
			} else if _, err := fmt.Sscanf(text, "runtime error: index out of range [%s", &index); err != nil {
				panic(x)
			} else if fault.Index, err = number(strings.Trim(index, "]")); err != nil {
				panic(x)
			}
		}
	}()
	return functorfuzz.CallMethod(v, m.Kind, in), functorfuzz.Fault{}, nil
}

// number reads an index, signed or unsigned, as fault words have it.
func number(s string) (int64, error) {
	u, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		var i int64
		i, err = strconv.ParseInt(s, 10, 64)
		u = uint64(i)
	}
	if strings.HasPrefix(s, "-") {
		return ir.FaultIndex(ir.Int64, u), err
	}
	return ir.FaultIndex(ir.Uint64, u), err
}

// lines returns the line of a functor's source in which the current panic began, and the line
// that called that one; 0 if there is no such line.
func lines() (at []int) {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if strings.HasPrefix(filepath.Base(f.File), "functors") {
			at = append(at, f.Line)
		}
		if !more && at == nil {
			return []int{0}
		}
		if !more {
			return at
		}
	}
}

// way is a way to call a functor's loops.
type way struct {
	name  string
	alone bool
	by    rows
}

// rows is the number of rows per call of a push.
type rows int

const (
	one  rows = iota // Visit
	many             // VisitRows
	ell4             // VisitEll4, if there is one, and the tiles are fit for it
)

var ways = []way{
	{"of one worker", true, one}, {"of several workers", false, one},
	{"of one worker, by rows", true, many}, {"of several workers, by rows", false, many},
	{"of one worker, by ELL4 rows", true, ell4}, {"of several workers, by ELL4 rows", false, ell4},
}

// run has the loops go through tiles.
func (w way) run(t *functorfuzz.Tiles, m Generated) *functorfuzz.Left {
	b := &Bound{t: t, read: make([]func() []uint64, len(t.Functor.Fields))}
	f := m.New(b)
	g := f.(link.Functor)
	state := g.State(link.Key{})
	state.In, state.How, state.Partials = t.In, int(t.How), b.partials
	for _, x := range t.Data.Slices[t.Functor.WeightsField()] {
		state.Weights = append(state.Weights, math.Float32frombits(uint32(x)))
	}
	state.IDs = t.Data.Slices[t.Functor.IDsField()]
	left := &functorfuzz.Left{Out: w.through(f, t, operators.Worker{Alone: w.alone, Level: t.Level})}
	for _, read := range b.read {
		var s []uint64
		if read != nil {
			s = read()
		}
		left.Slices = append(left.Slices, s)
	}
	if word := state.Fault.Load(); word != 0 {
		const up = 64 - ir.FaultBits
		left.Fault = functorfuzz.FaultOf(ir.Site(g.Code().Sites[word>>ir.FaultBits-1]), int64(word<<up)>>up)
	}
	return left
}

// Bound is the contents of a functor's fields.
type Bound struct {
	t        *functorfuzz.Tiles
	read     []func() []uint64
	partials []uint64 // of the one worker
}

// Buf returns the buffer of a field.
func Buf[T functorfuzz.Element](b *Bound, field int) *device.Buffer[T] {
	bits := b.t.Data.Slices[field]
	s := make([]T, len(bits))
	for i, x := range bits {
		s[i] = functorfuzz.Number[T](x)
	}
	b.read[field] = func() []uint64 { return words(s) }
	return device.Wrap(s)
}

// Acc returns no scalar: no step leaves anything there.
func Acc[T operators.Number](b *Bound, field int) *operators.Scalar[T] {
	n := len(b.partials)
	b.partials = append(b.partials, b.t.Data.Slices[field][0])
	b.read[field] = func() []uint64 { return b.partials[n : n+1] }
	return nil
}

// Num returns the value of a field that is no slice.
func Num[T functorfuzz.Scalar](b *Bound, field int) T {
	return functorfuzz.Number[T](b.t.Data.Scalars[field])
}

func words[T functorfuzz.Scalar](s []T) []uint64 {
	out := make([]uint64, len(s))
	for i, x := range s {
		out[i] = functorfuzz.Word(x)
	}
	return out
}
