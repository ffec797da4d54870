// This file makes jobs: of random IR, and of random Go.

package kernels

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"github.com/foray-graph/foray/internal/functor/generate/source"
	"github.com/foray-graph/foray/internal/functor/ptx"
	"github.com/foray-graph/foray/internal/testing/functorfuzz"
)

const randomPath = source.Module + "/random"

// randomText is random/random.go, whose functions are inlined. A test compares them.
//
//go:embed random.txt
var randomText string

// declarations are the functions that random functors call, as far as types need them: lowering works
// without the go command.
var declarations = map[string]string{
	"math": `package math
const Pi = 3.14159265358979323846264338327950288419716939937510582097494459
const MaxUint32 = 1<<32 - 1
func Abs(x float64) float64
func Sqrt(x float64) float64
func Floor(x float64) float64
func Ceil(x float64) float64
func Trunc(x float64) float64
func Exp(x float64) float64
func Log(x float64) float64
func Min(x, y float64) float64
func Max(x, y float64) float64
func Pow(x, y float64) float64
func IsNaN(f float64) (is bool)
func IsInf(f float64, sign int) bool
func Float32bits(f float32) uint32
func Float64bits(f float64) uint64
func Float32frombits(b uint32) float32
func Float64frombits(b uint64) float64
`,
	"math/bits": `package bits
func OnesCount32(x uint32) int
func OnesCount64(x uint64) int
func LeadingZeros32(x uint32) int
func LeadingZeros64(x uint64) int
func TrailingZeros32(x uint32) int
func TrailingZeros64(x uint64) int
func Len32(x uint32) int
func Len64(x uint64) int
func Reverse32(x uint32) uint32
func Reverse64(x uint64) uint64
func ReverseBytes32(x uint32) uint32
func ReverseBytes64(x uint64) uint64
func Mul32(x, y uint32) (hi, lo uint32)
func Mul64(x, y uint64) (hi, lo uint64)
func Add32(x, y, carry uint32) (sum, carryOut uint32)
func Add64(x, y, carry uint64) (sum, carryOut uint64)
func Sub32(x, y, borrow uint32) (diff, borrowOut uint32)
func Sub64(x, y, borrow uint64) (diff, borrowOut uint64)
func RotateLeft32(x uint32, k int) uint32
func RotateLeft64(x uint64, k int) uint64
`,
	source.Module + "/atomics": `package atomics
type integer interface { int32 | uint32 | int64 | uint64 }
type number interface { integer | float32 | float64 }
func Load[T number](p *T) T { panic(0) }
func Store[T number](p *T, x T) { panic(0) }
func CompareAndSwap[T number](p *T, old, x T) bool { panic(0) }
func Exchange[T number](p *T, x T) T { panic(0) }
func Min[T number](p *T, x T) T { panic(0) }
func Max[T number](p *T, x T) T { panic(0) }
func Add[T number](p *T, x T) T { panic(0) }
func Or[T integer](p *T, x T) T { panic(0) }
func And[T integer](p *T, x T) T { panic(0) }
`,
	randomPath: randomText,
	source.Module + "/traverse": `package traverse
type Edge struct {
	Source, Target uint32
	Index, ID uint64
	Weight float32
	Level int32
}
type Vertex struct {
	ID uint32
	Level int32
}
type Sum[T int64 | uint64] struct{}
type Min[T int64 | uint64 | float64] struct{}
type Max[T int64 | uint64 | float64] struct{}
type Or[T int64 | uint64] struct{}
func (*Sum[T]) Add(x T) {}
func (*Min[T]) Add(x T) {}
func (*Max[T]) Add(x T) {}
func (*Or[T]) Add(x T) {}
`,
}

// declared imports them.
type declared map[string]*types.Package

// Import returns a package of declarations.
func (d declared) Import(path string) (*types.Package, error) {
	if p := d[path]; p != nil {
		return p, nil
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, declarations[path], 0)
	if err != nil {
		return nil, err
	}
	conf := types.Config{IgnoreFuncBodies: true, Importer: d}
	p, err := conf.Check(path, fset, []*ast.File{f}, nil)
	if err != nil {
		return nil, err
	}
	d[path] = p
	return p, nil
}

// FromIR returns a job of the functor of a seed as IR, with the given number of cases.
func FromIR(seed uint64, cases int) Job {
	c := functorfuzz.Generate(seed)
	return Job{c.Functor, withMore(c, seed, cases)}
}

// FromGo returns jobs of the functors of seeds as Go, lowered, each with the given number of cases. Some
// seeds have none: the generator refuses divisions by a constant zero.
func FromGo(first, n uint64, cases int) ([]Job, error) {
	f := functorfuzz.NewFile(first, n)
	p, err := source.LoadText("functors.go", f.Text(), declared{}, map[string]string{randomPath: randomText})
	for err != nil && f.Drop(err) {
		p, err = source.LoadText("functors.go", f.Text(), declared{}, map[string]string{randomPath: randomText})
	}
	if err != nil {
		return nil, err
	}
	if len(p.Functors) != len(f.Sources) {
		return nil, fmt.Errorf("%d functors of %d were found", len(p.Functors), len(f.Sources))
	}
	jobs := make([]Job, len(f.Sources))
	for i, s := range f.Sources {
		g := p.Functors[i]
		if g.Name != s.Name {
			return nil, fmt.Errorf("functor %s was found where %s is", g.Name, s.Name)
		}
		jobs[i] = Job{g, withMore(s.Case.Of(g), s.Seed, cases)}
	}
	return jobs, nil
}

// withMore returns a case, and more of its functor.
func withMore(c *functorfuzz.Case, seed uint64, cases int) []*functorfuzz.Case {
	all := []*functorfuzz.Case{c}
	for i := uint64(1); i < uint64(cases); i++ {
		all = append(all, c.Again(seed<<8+i))
	}
	return all
}

// Show prints a functor, its PTX and a case of it.
func Show(j Job, k int) string {
	var b strings.Builder
	fmt.Fprintln(&b, j.Functor)
	for _, m := range j.Functor.Methods {
		text, err := ptx.Method(j.Functor, m)
		fmt.Fprintln(&b, text, err)
	}
	c := j.Cases[k]
	fmt.Fprintf(&b, "slices %v\nscalars %v\n", c.Data.Slices, c.Data.Scalars)
	for _, call := range c.Calls {
		fmt.Fprintf(&b, "call of %s with %v\n", call.Method.Kind, call.Inputs)
	}
	return b.String()
}
