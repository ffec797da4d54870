// Package structs compares the layout of Go structs with kernel arguments and shared structs in
// CUDA C++. It compiles the kernels' source with g++ for the CPU, whose layouts CUDA follows, and
// compares the debug information with package reflect: size, and every field's name, offset, size
// and kind.
package structs

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// Check is one thing to be checked of a source.
type Check struct {
	kernels string // a pattern of names
	cxx     string // or a type, or a constant's expression
	values  []any
}

// Kernels states which parameters all kernels have whose names match the pattern (see
// path.Match): each is laid out as the value in its place.
func Kernels(pattern string, params ...any) Check { return Check{kernels: pattern, values: params} }

// Struct says that the C++ type of that name, in namespace foray, is laid out as
// the value.
func Struct(cxx string, value any) Check { return Check{cxx: cxx, values: []any{value}} }

// Constant says that a C++ expression in namespace foray has that value.
func Constant(expr string, value uint64) Check {
	return Check{cxx: expr, values: []any{constant(value)}}
}

type constant uint64

// AtMost stands for a parameter that only has to fit into the value: a functor,
// whose fields are its own.
func AtMost(value any) any { return atMost{value} }

type atMost struct{ value any }

// Run checks a source of kernels or a header, whose path is relative to the root of
// the repository. Every kernel in it must be named by a check. It is for testlong.Project, and
// skips where there is no g++ whose debug information it can read.
func Run(t *testing.T, source string, checks ...Check) {
	t.Helper()
	testlong.Project(t)
	skipWithout(t)
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := compare(root, t.TempDir(), source, checks)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", source, p)
	}
}

func skipWithout(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: the layouts of kernels' arguments are read from ELF files")
	}
	if _, err := exec.LookPath("g++"); err != nil {
		testlong.Missing(t, "compiler", "needs g++, which gives the layouts of kernels' arguments: install g++:", err)
	}
}

func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("layouttest: no go.mod above the working directory")
		}
		dir = filepath.Dir(dir)
	}
}

// section is where the kernels are put, to be told from other functions.
const section = "foray_kernels"

// Compile compiles a source of kernels with g++, as Run does, and returns its
// errors. The source may be outside of the repository.
func Compile(source string) error {
	root, err := findRoot()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "foray-layout-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	_, err = compile(root, work, source, nil)
	return err
}

// prelude makes C++ of CUDA's words; what they mean is of no interest here.
const prelude = `#define __global__ __attribute__((section("` + section + `"), used))
#define __launch_bounds__(...)
#define __device__
#define __shared__
#include %q
namespace foray {}
using namespace foray;
`

// compile returns the object file of a source with a variable for each type, and an
// array of all constants.
func compile(root, work, source string, checks []Check) (string, error) {
	var b strings.Builder
	if !filepath.IsAbs(source) {
		source = filepath.Join(root, source)
	}
	fmt.Fprintf(&b, prelude, source)
	constants := ""
	for i, c := range checks {
		if c.kernels != "" {
			continue
		}
		if _, ok := c.values[0].(constant); ok {
			constants += fmt.Sprintf("(unsigned long long)(%s), ", c.cxx)
		} else {
			fmt.Fprintf(&b, "%s layout_%d;\n", c.cxx, i)
		}
	}
	fmt.Fprintf(&b, "extern \"C\" unsigned long long layout_constants[] = {%s0};\n", constants)
	text, object, deps := filepath.Join(work, "layout.cc"), filepath.Join(work, "layout.o"), filepath.Join(work, "layout.d")
	if err := os.WriteFile(text, []byte(b.String()), 0o666); err != nil {
		return "", err
	}
	emulator := filepath.Join(root, "internal", "testing", "emulator", "src")
	cmd := exec.Command("g++", "-std=c++17", "-O0", "-gdwarf-4", "-w", "-D__CUDA_ARCH__=900", "-DFORAY_EMULATED", "-include", filepath.Join(emulator, "include", "device.h"),
		"-I"+filepath.Join(emulator, "include"), "-I"+emulator, "-I"+root, "-MMD", "-MF", deps, "-c", text, "-o", object)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("layouttest: %s: %w\n%s", cmd, err, out)
	}
	// go test keeps results until a file changes that the test itself has opened.
	list, err := os.ReadFile(deps)
	if err != nil {
		return "", err
	}
	for _, name := range strings.Fields(strings.ReplaceAll(string(list), "\\\n", " ")) {
		if strings.HasPrefix(name, root) {
			if _, err := os.ReadFile(strings.TrimSuffix(name, ":")); err != nil {
				return "", err
			}
		}
	}
	return object, nil
}

// compare returns what isn't as the checks say.
func compare(root, work, source string, checks []Check) (problems []string, err error) {
	object, err := compile(root, work, source, checks)
	if err != nil {
		return nil, err
	}
	file, err := elf.Open(object)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	params, types, err := readTypes(file)
	if err != nil {
		return nil, err
	}
	kernels, constants, err := readSymbols(file)
	if err != nil {
		return nil, err
	}
	checked := map[string]bool{}
	for i, c := range checks {
		if c.kernels == "" {
			if want, ok := c.values[0].(constant); !ok {
				problems = append(problems, differences(c.cxx, types[fmt.Sprintf("layout_%d", i)], c.values[0])...)
			} else {
				if constants[0] != uint64(want) {
					problems = append(problems, fmt.Sprintf("%s is %d, and %d in Go", c.cxx, constants[0], uint64(want)))
				}
				constants = constants[1:]
			}
			continue
		}
		found := false
		for _, k := range kernels {
			if ok, err := path.Match(c.kernels, k); err != nil || !ok {
				continue
			}
			found, checked[k] = true, true
			if len(params[k]) != len(c.values) {
				problems = append(problems, fmt.Sprintf("kernel %s has %d parameters, and %d in Go", k, len(params[k]), len(c.values)))
				continue
			}
			for j, p := range params[k] {
				problems = append(problems, differences(fmt.Sprintf("kernel %s, parameter %d", k, j+1), p, c.values[j])...)
			}
		}
		if !found {
			problems = append(problems, fmt.Sprintf("no kernel's name matches %s", c.kernels))
		}
	}
	for _, k := range kernels {
		if !checked[k] {
			problems = append(problems, fmt.Sprintf("kernel %s isn't checked: add its parameters to the test", k))
		}
	}
	return problems, nil
}

// readTypes returns the types of the parameters of functions, and those of
// variables, by name.
func readTypes(file *elf.File) (params map[string][]dwarf.Type, types map[string]dwarf.Type, err error) {
	data, err := file.DWARF()
	if err != nil {
		return nil, nil, err
	}
	params, types = map[string][]dwarf.Type{}, map[string]dwarf.Type{}
	function, depth := "", 0
	for r := data.Reader(); ; {
		e, err := r.Next()
		if err != nil || e == nil {
			return params, types, err
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		of, typed := e.Val(dwarf.AttrType).(dwarf.Offset)
		switch {
		case e.Tag == 0:
			depth--
		case e.Tag == dwarf.TagSubprogram && depth == 1:
			function = name
		case e.Tag == dwarf.TagFormalParameter && depth == 2 && typed && function != "":
			p, err := data.Type(of)
			if err != nil {
				return nil, nil, err
			}
			params[function] = append(params[function], p)
		case e.Tag == dwarf.TagVariable && depth == 1 && typed:
			if types[name], err = data.Type(of); err != nil {
				return nil, nil, err
			}
		}
		if e.Children {
			depth++
		}
	}
}

// readSymbols returns the names of the kernels, and the constants.
func readSymbols(file *elf.File) (kernels []string, constants []uint64, err error) {
	symbols, err := file.Symbols()
	if err != nil {
		return nil, nil, err
	}
	for _, s := range symbols {
		if int(s.Section) >= len(file.Sections) {
			continue
		}
		in := file.Sections[s.Section]
		if in.Name == section && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			kernels = append(kernels, s.Name)
		}
		if s.Name == "layout_constants" {
			raw := make([]byte, s.Size)
			if in.Type != elf.SHT_NOBITS {
				if _, err := in.ReadAt(raw, int64(s.Value)); err != nil {
					return nil, nil, err
				}
			}
			for ; len(raw) >= 8; raw = raw[8:] {
				constants = append(constants, file.ByteOrder.Uint64(raw))
			}
		}
	}
	return kernels, constants, nil
}
