package layouttest

import (
	"os/exec"
	"strings"
	"testing"
)

type inner struct {
	items uint64
	n, _  uint32
}

type args struct {
	in            [2]inner
	byID          uint64
	first, second uint64
	depth         int32
	even          float32
	code          uint8
	last          uint32
}

// Each of these differs from args in one thing.
type (
	swapped struct {
		in            [2]inner
		byID          uint64
		second, first uint64
		depth         int32
		even          float32
		code          uint8
		last          uint32
	}
	narrow struct {
		in            [2]inner
		byID          uint32
		first, second uint64
		depth         int32
		even          float32
		code          uint8
		last          uint32
	}
	unsigned struct {
		in            [2]inner
		byID          uint64
		first, second uint64
		depth         uint32
		even          float32
		code          uint8
		last          uint32
	}
	whole struct {
		in            [2]inner
		byID          uint64
		first, second uint64
		depth         int32
		even          uint32
		code          uint8
		last          uint32
	}
	lacking struct {
		in            [2]inner
		byID          uint64
		first, second uint64
		depth         int32
		even          float32
		code          uint8
		_             uint32
	}
	longer struct {
		in            [2]inner
		byID          uint64
		first, second uint64
		depth         int32
		even          float32
		code          uint8
		last          uint32
		more          uint64
	}
	pointing struct {
		in   [2]inner
		byID *uint64
	}
)

const source = "internal/layouttest/testdata/kernels.cu"

func TestLayouts(t *testing.T) {
	Run(t, source, Struct("Args<uint32_t>", args{}), Constant("kSome", 12), Constant("sizeof(Inner)", 16),
		Kernels("one_*", args{}, AtMost([3]uint64{})), Kernels("two", uint64(0), uint32(0)))
}

// Every way in which the two sides can differ is found, and named.
func TestMismatch(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("no g++:", err)
	}
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
				"in C++ first (unsigned, 8 bytes at 40), in Go second (unsigned, 8 bytes at 40)",
				"in C++ by_id (address, 8 bytes at 32), in Go byID (unsigned, 4 bytes at 32)",
				"in C++ depth (signed, 4 bytes at 56), in Go depth (unsigned, 4 bytes at 56)",
				"in C++ even (float, 4 bytes at 60), in Go even (unsigned, 4 bytes at 60)",
				"Go lacks last (unsigned, 4 bytes at 68)",
				"has 72 bytes, and 80 in Go",
				"C++ lacks more (unsigned, 8 bytes at 72)",
				"byID is a *uint64 in Go",
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
