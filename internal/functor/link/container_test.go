package link

import (
	"bytes"
	"testing"
)

// Kernels stay the same however they are packed.
func TestRepack(t *testing.T) {
	not := func(b []byte) ([]byte, error) { return b, nil }
	for _, image := range [][]byte{skeletons, keyedSkeletons} {
		plain, err := RepackKernels(image, not)
		if err != nil || len(plain) < 4*len(image) || !SameKernels(image, plain) {
			t.Errorf("%d bytes became %d: %v", len(image), len(plain), err)
		}
		for _, at := range []int{len(plain) / 3, len(plain) - 1} {
			other := bytes.Clone(plain)
			other[at] ^= 1
			if SameKernels(image, other) {
				t.Errorf("byte %d of the kernels changed, and they are the same", at)
			}
		}
		if SameKernels(image, nil) || SameKernels(image, image[:len(image)/2]) {
			t.Error("damaged kernels are the same")
		}
		for _, n := range []int{0, 7, 8, 20, 100, len(image) - 1} {
			if _, err := RepackKernels(image[:n], not); err == nil {
				t.Errorf("%d bytes are repacked", n)
			}
		}
	}
	if SameKernels(skeletons, keyedSkeletons) {
		t.Error("other kernels are the same")
	}
}

// A module has the functions that its kernel calls, directly or not, and no other.
func TestCalled(t *testing.T) {
	items := functionsApart([]item{
		{Text: ".version 7.8\n.func one\n(\n.param .b64 one_param_0\n)\n;\n.func (.param .b32 r) two(\n)\n;\n.extern .shared .align 16 .b8 s[];\n.func one(\n)\n{\n{\ncall.uni\ntwo,\n();\n}\n}\n"},
		{Kernel: "k", Text: ".visible .entry k()\n{\ncall.uni\none,\n();\n}\n"},
		{Text: ".func (.param .b32 r) two(\n)\n{\nret;\n}\n.func three(\n)\n{\nret;\n}\n// the end\n"},
	})
	var names, all []string
	for _, it := range items {
		names = append(names, it.Kernel+it.function)
		all = append(all, it.Text)
	}
	want := []string{"", "one", "two", "", "one", "k", "two", "three", ""}
	if len(names) != len(want) {
		t.Fatalf("%q, want %q", names, want)
	}
	for i, n := range names {
		if n != want[i] {
			t.Errorf("item %d is %q, want %q: %q", i, n, want[i], all[i])
		}
	}
	if c := called(items, items[5].Text); len(c) != 2 || !c["one"] || !c["two"] {
		t.Errorf("k calls %v", c)
	}
	if c := called(items, "ret;"); len(c) != 0 {
		t.Errorf("nothing calls %v", c)
	}
}
