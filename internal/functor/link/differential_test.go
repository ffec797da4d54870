package link_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/functor/bind"
	"github.com/foray-graph/foray/internal/functor/generate/source"
	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/functor/ptx"
	"github.com/foray-graph/foray/internal/testing/functorfuzz"
)

// code returns what the generator makes of a functor.
func code(f *ir.Functor) *bind.Code {
	c := &bind.Code{Name: f.GoType()}
	for _, m := range f.Methods {
		text, err := ptx.Method(f, m)
		if err != nil {
			return nil
		}
		switch m.Kind {
		case ir.Edge:
			c.Edge, c.EdgeResult = text, m.Result.String()
			if m.Result == ir.Void {
				c.EdgeResult = ""
			}
			c.Tells = f.Tells()
		case ir.Gather:
			c.Gather, c.GatherResult, c.Pure = text, m.Result.String(), m.Pure()
			if end, is := m.Alone(); is {
				c.Alone = []string{"source", "target"}[end]
			}
		case ir.Apply:
			c.Apply = text
		case ir.Vertex:
			c.Vertex = text
		case ir.Hit:
			continue
		}
		c.Accesses = append(c.Accesses, f.Accesses(m)...)
	}
	return c
}

type seen struct {
	far, written, elsewhere, looks, adds, tells bool
	fold                                        int
}

func (s seen) String() string {
	return fmt.Sprintf("%+v", struct {
		far, written, elsewhere, looks, adds bool
		fold                                 int
	}{s.far, s.written, s.elsewhere, s.looks, s.adds, s.fold})
}

var order = []ir.Update{ir.Replace, ir.MinUint32, ir.MaxUint32, ir.MinInt32, ir.MaxInt32, ir.MinFloat32, ir.MaxFloat32, ir.Or32, ir.And32, ir.Or64, ir.Add32, ir.Add64}

func fromIR(c *bind.Code, calls link.Calls) map[int]seen {
	all := map[int]seen{}
	by := map[int]ir.Update{}
	for _, a := range c.Accesses {
		own := a.Source
		other := []ir.Touch{a.Target, a.Others}
		switch {
		case a.Method == "Edge" && calls == link.AtEdges:
		case a.Method == "Gather" && calls == link.GathersOut:
		case a.Method == "Gather" && calls == link.GathersIn:
			own, other[0] = a.Target, a.Source
		case a.Method == "Apply" && calls != link.AtEdges && calls != link.AtVertices, a.Method == "Vertex" && calls == link.AtVertices:
			own = a.Vertex
		default:
			continue
		}
		s := all[a.Word]
		s.written = s.written || own == ir.Write
		for _, t := range other {
			s.far = s.far || t != ir.Untouched
			s.elsewhere = s.elsewhere || t == ir.Write
		}
		s.looks, s.adds = s.looks || a.Looks, s.adds || a.Adds
		if a.By != "" {
			if by[a.Word] != "" && by[a.Word] != a.By {
				a.By = ir.Replace
			}
			by[a.Word] = a.By
		}
		s.fold = max(0, slices.Index(order, by[a.Word]))
		all[a.Word] = s
	}
	return all
}

var counts = map[string]int{}

func compare(t *testing.T, f *ir.Functor, accs map[int]bool) {
	c := code(f)
	if c == nil {
		return
	}
	for _, calls := range []link.Calls{link.AtVertices, link.AtEdges, link.GathersIn, link.GathersOut} {
		old, now := link.Reaches(c, calls), fromIR(c, calls)
		at, _ := f.Words()
		for i, w := range at {
			if w < 0 || !f.FieldOf(i).Slice {
				continue
			}
			want := seen{far: old.Far[w], written: old.Written[w], elsewhere: old.Elsewhere[w], looks: old.Looks[w] && old.Fold(w).Adds(), adds: old.Adds(w), fold: int(old.Fold(w))}
			got := now[w]
			got.looks = got.looks && link.Fold(got.fold).Adds()
			counts["arrays"]++
			if got != want {
				counts["arrays that differ"]++
				t.Errorf("%s, %d, array %s: IR %v, PTX %v\n%s%s%s", f.GoType(), calls, f.FieldOf(i).Name, got, want, f, c.Edge+c.Gather, c.Vertex)
			}
		}
		if old.Unknown {
			counts["unknown"]++
		}
		if calls == link.AtEdges && c.Edge != "" {
			counts[fmt.Sprint("tells: PTX ", old.Tells, ", IR ", c.Tells)]++
			if old.Tells != c.Tells {
				t.Logf("%s tells: IR %v, PTX %v\n%s\n%s", f.GoType(), c.Tells, old.Tells, f, c.Edge)
				if old.Tells {
					t.Fail()
				}
			}
		}
	}
	if c.Gather != "" {
		for _, in := range []bool{false, true} {
			got := c.Alone == map[bool]string{true: "source", false: "target"}[in]
			old := link.Local(c, in)
			counts[fmt.Sprint("local: PTX ", old, ", IR ", got)]++
			if got != old {
				t.Errorf("%s, in %v: local: IR %v, PTX %v\n%s\n%s", f.GoType(), in, got, old, f, c.Gather)
			}
		}
		if old := !strings.Contains(c.Gather, "st.") && !strings.Contains(c.Gather, "atom.") && !strings.Contains(c.Gather, "red."); old != c.Pure {
			t.Errorf("%s: pure: IR %v, PTX %v\n%s\n%s", f.GoType(), c.Pure, old, f, c.Gather)
		}
	}
}

func TestDifferential(t *testing.T) {
	defer func() {
		for _, k := range slices.Sorted(maps.Keys(counts)) {
			t.Log(k, counts[k])
		}
	}()
	n := 20000
	fmt.Sscan(os.Getenv("SEEDS"), &n)
	for seed := range n {
		compare(t, functorfuzz.Generate(uint64(seed)).Functor, nil)
		if t.Failed() && os.Getenv("ALL") == "" {
			return
		}
	}
	counts["random"] = n
	if os.Getenv("DIRS") == "" {
		return
	}
	out, err := exec.Command("git", "-C", "../../..", "ls-files", "*foray_functors.go").Output()
	if err != nil {
		t.Fatal(err)
	}
	dirs := strings.Fields(strings.ReplaceAll(string(out), "/foray_functors.go", ""))
	dirs = append(dirs, "internal/functor/generate/source/constructs")
	for _, dir := range dirs {
		p, err := source.Load(context.Background(), "../../../"+dir)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, f := range p.Functors {
			counts["written by hand"]++
			compare(t, f, nil)
		}
	}
}
