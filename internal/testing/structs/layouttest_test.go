package structs

import (
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

type inner struct {
	Items uint64
	N, _  uint32
}

type args struct {
	In            [2]inner
	ByID          uint64
	First, Second uint64
	Depth         int32
	Even          float32
	Code          uint8
	Last          uint32
}

// Each of these differs from args in one thing.
type (
	swapped struct {
		In            [2]inner
		ByID          uint64
		Second, First uint64
		Depth         int32
		Even          float32
		Code          uint8
		Last          uint32
	}
	narrow struct {
		In            [2]inner
		ByID          uint32
		First, Second uint64
		Depth         int32
		Even          float32
		Code          uint8
		Last          uint32
	}
	unsigned struct {
		In            [2]inner
		ByID          uint64
		First, Second uint64
		Depth         uint32
		Even          float32
		Code          uint8
		Last          uint32
	}
	whole struct {
		In            [2]inner
		ByID          uint64
		First, Second uint64
		Depth         int32
		Even          uint32
		Code          uint8
		Last          uint32
	}
	lacking struct {
		In            [2]inner
		ByID          uint64
		First, Second uint64
		Depth         int32
		Even          float32
		Code          uint8
		_             uint32
	}
	longer struct {
		In            [2]inner
		ByID          uint64
		First, Second uint64
		Depth         int32
		Even          float32
		Code          uint8
		Last          uint32
		More          uint64
	}
	pointing struct {
		In   [2]inner
		ByID *uint64
	}
)

const source = "internal/testing/structs/testdata/kernels.cu"

func TestLayouts(t *testing.T) {
	Run(t, source, Struct("Args<uint32_t>", args{}), Constant("kSome", 12), Constant("sizeof(Inner)", 16),
		Kernels("one_*", args{}, AtMost([3]uint64{})), Kernels("two", uint64(0), uint32(0)))
}

// Every way in which the two sides can differ is found, and named.
func TestMismatch(t *testing.T) {
	testlong.Project(t)
	skipWithout(t)
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	one, two := Kernels("one_o32", args{}, AtMost([3]uint64{})), Kernels("two", uint64(0), uint32(0))
	for _, c := range []struct {
		checks []Check
		want   []string // a problem each
	}{
		{[]Check{one, two}, nil},
		{[]Check{one}, []string{"kernel two isn't checked"}},
		{
			[]Check{
				one, Struct("Args<uint32_t>", swapped{}), Struct("Args<uint32_t>", narrow{}), Struct("Args<uint32_t>", unsigned{}),
				Struct("Args<uint32_t>", whole{}), Struct("Args<uint32_t>", lacking{}), Struct("Args<uint32_t>", longer{}), Struct("Args<uint32_t>", pointing{}),
				Constant("kSome", 12), Constant("kSome", 13), Kernels("three", uint64(0)), Kernels("two", uint64(0)), Kernels("two", uint64(0), uint64(0)),
				Kernels("one_o32", args{}, AtMost([2]uint64{})),
			},
			[]string{
				"in C++ first (unsigned, 8 bytes at 40), in Go Second (unsigned, 8 bytes at 40)",
				"in C++ by_id (address, 8 bytes at 32), in Go ByID (unsigned, 4 bytes at 32)",
				"in C++ depth (signed, 4 bytes at 56), in Go Depth (unsigned, 4 bytes at 56)",
				"in C++ even (float, 4 bytes at 60), in Go Even (unsigned, 4 bytes at 60)",
				"Go lacks last (unsigned, 4 bytes at 68)",
				"has 72 bytes, and 80 in Go",
				"C++ lacks More (unsigned, 8 bytes at 72)",
				"ByID is a *uint64 in Go",
				"kSome is 12, and 13 in Go",
				"no kernel's name matches three",
				"kernel two has 2 parameters, and 1 in Go",
				"kernel two, parameter 2 (uint32_t, uint64 in Go) has 4 bytes, and 8 in Go",
				"kernel two, parameter 2 (uint32_t, uint64 in Go): in C++ itself",
				"parameter 2 has 24 bytes, more than the 16",
			},
		},
	} {
		problems, err := compare(root, t.TempDir(), source, c.checks)
		if err != nil {
			t.Fatal(err)
		}
		if len(problems) != len(c.want) {
			t.Errorf("%d problems, want %d", len(problems), len(c.want))
		}
		for i := range min(len(problems), len(c.want)) {
			if !strings.Contains(problems[i], c.want[i]) {
				t.Errorf("want %q in %q", c.want[i], problems[i])
			}
		}
	}
	if _, err := compare(root, t.TempDir(), source, []Check{Struct("Nothing", args{})}); err == nil || !strings.Contains(err.Error(), "Nothing") {
		t.Errorf("of a type that there isn't: %v", err)
	}
}
