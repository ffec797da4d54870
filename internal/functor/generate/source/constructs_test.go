package source_test

import (
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/foray-graph/foray/internal/functor/generate/source"
	"github.com/foray-graph/foray/internal/functor/generate/source/constructs"
	"github.com/foray-graph/foray/internal/functor/generate/source/gocall"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// functors are the functors of package constructs, in the order of the files.
var functors = []any{
	constructs.Kinds{}, constructs.Wanted{}, constructs.Numbers{}, constructs.Words{}, constructs.Shared{},
	constructs.Integers{}, constructs.Floats{}, constructs.Converted{}, constructs.Bits{}, constructs.Atomics{}, constructs.Helpers{}, constructs.Indexed{},
	constructs.Widen{}, constructs.Due{}, constructs.Light{}, constructs.Rank{}, constructs.Least{}, constructs.Statements{}, constructs.Walk{}, constructs.Mix{},
	constructs.Shorten[float32]{}, constructs.Shorten[float64]{}, constructs.Cross{}, constructs.Relax{}, constructs.Locals{}, constructs.Branches{}, constructs.Loops{}, constructs.Bounds{}, constructs.Nothing{}, constructs.Arrays{},
}

// TestConstructs calls the methods of package constructs, and runs what the generator makes
// of them, with the same random fields. FORAY_CONSTRUCTS is the number of rounds.
func TestConstructs(t *testing.T) {
	testlong.Project(t)
	p, err := source.Load(t.Context(), "constructs")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Functors) != len(functors) {
		t.Fatalf("%d functors in package constructs, %d are tested", len(p.Functors), len(functors))
	}
	n := 1000
	if s := os.Getenv("FORAY_CONSTRUCTS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	for i, f := range p.Functors {
		t.Run(f.GoType(), func(t *testing.T) {
			typ := reflect.TypeOf(functors[i])
			if typ.Name() != f.GoType() {
				t.Fatalf("%s is tested as %s", f.GoType(), typ.Name())
			}
			if err := source.Invalid(f); err != nil {
				t.Fatalf("%v\n%s", err, f)
			}
			faults := 0
			for seed := range n {
				faulted, err := gocall.Compare(f, typ, nil, uint64(seed))
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, f)
				}
				if faulted {
					faults++
				}
			}
			if mayFault := !slices.Contains([]string{"Loops", "Helpers", "Mix"}, f.Name) && len(f.Sites) > 0; faults == n || mayFault != (faults > 0) {
				t.Errorf("%d of %d calls faulted, at %v", faults, n, f.Sites)
			}
		})
	}
}
