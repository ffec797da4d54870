package ptx_test

import (
	"bytes"
	"encoding/gob"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/foray-graph/foray/internal/functorfuzz"
	"github.com/foray-graph/foray/internal/generate/source"
	"github.com/foray-graph/foray/internal/ir"
	"github.com/foray-graph/foray/internal/ptx"
	"github.com/foray-graph/foray/internal/ptx/ptxtest"
)

var sources = flag.Int("sources", 150, "how many random functors in Go")

// TestSources compares random functors written in Go, run by Go itself, with their IR and
// their PTX.
func TestSources(t *testing.T) {
	onAMD64(t)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command, which compiles random functors")
	}
	dir, err := os.MkdirTemp(".", "_functors")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	text := map[string]*functorfuzz.Source{}
	var main bytes.Buffer
	files := map[string]*bytes.Buffer{"main.go": &main, "functors.go": bytes.NewBufferString("package main\n" + functorfuzz.Header)}
	const each = 1000
	main.WriteString("package main\n\nimport (\n\t\"encoding/gob\"\n\t\"os\"\n\n\t\"" + source.Module + "/internal/functorfuzz\"\n)\n\nfunc main() {\n\tout := gob.NewEncoder(os.Stdout)\n")
	for i := range uint64(*sources) {
		s := functorfuzz.GenerateSource(*first + i)
		text[s.Name] = s
		file := fmt.Sprintf("functors%d.go", i/each)
		if files[file] == nil {
			files[file] = bytes.NewBufferString("package main\n" + functorfuzz.Imports)
		}
		files[file].WriteString(s.Text)
		fmt.Fprintf(&main, "\tif err := out.Encode(functorfuzz.Drive(%d, new(%s))); err != nil {\n\t\tpanic(err)\n\t}\n", *first+i, s.Name)
	}
	main.WriteString("}\n")
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := source.Load(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	functors := map[string]*ir.Functor{}
	for _, f := range p.Functors {
		functors[f.Name] = f
	}
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	in := gob.NewDecoder(bytes.NewReader(out))
	calls, faults := 0, 0
	for range text {
		var rec functorfuzz.Record
		if err := in.Decode(&rec); err != nil {
			t.Fatal(err)
		}
		s := text[fmt.Sprint("F", rec.Seed)]
		f := functors[s.Name]
		if f == nil {
			t.Fatalf("seed %d: no functor was found", rec.Seed)
		}
		n, bad, err := compareGo(s.Case, f, &rec)
		if err != nil {
			body := ""
			for _, m := range f.Methods {
				x, err := ptx.Method(f, m)
				body += fmt.Sprint(x, err, "\n")
			}
			t.Fatalf("seed %d: %v\n%s\n%s\n%s\n%v\n%v", rec.Seed, err, s.Text, f, body, s.Case.Data, s.Case.Calls)
		}
		calls += n
		faults += bad
	}
	t.Logf("%d calls, %d of them faulted", calls, faults)
	if calls == 0 || faults == 0 || faults > calls/2 {
		t.Errorf("%d of %d calls faulted: the functors don't test much", faults, calls)
	}
}

// compareGo runs a case by the IR and the PTX of a functor, and compares with a record.
func compareGo(c *functorfuzz.Case, f *ir.Functor, rec *functorfuzz.Record) (calls, faults int, err error) {
	// The data has weights and ids behind the fields, as f has.
	data := map[string]*functorfuzz.Data{"IR": c.Data.Clone(), "PTX": c.Data.Clone()}
	for i, done := range rec.Calls {
		call := c.Calls[i]
		m := f.Method(call.Method.Kind)
		text, err := ptx.Method(f, m)
		if err != nil {
			return calls, faults, err
		}
		program, err := ptxtest.Parse(text)
		if err != nil {
			return calls, faults, err
		}
		out, err := functorfuzz.Run(f, m, data["IR"], &call.Inputs, steps)
		if err != nil {
			return calls, faults, err
		}
		var memory ptxtest.Memory
		block, fault, _ := words(f, data["PTX"], &memory)
		result, err := program.Run(&memory, block, inputs(m, &call.Inputs), 20*steps)
		if err != nil {
			return calls, faults, err
		}
		if m.Kind == ir.Edge && m.Result == ir.Void {
			result = 0
		}
		calls++
		if done.Panic != "" {
			faults++
		}
		if (done.Panic != "") != (out.Site != 0) || (out.Site != 0) != (fault[0] != 0) {
			return calls, faults, fmt.Errorf("call %d: Go panics: %q, fault of the IR at site %d, of the PTX %#x", i, done.Panic, out.Site, fault[0])
		}
		t := m.Result
		if t == ir.Void || t == ir.Bool {
			t = ir.Uint64
		}
		if !functorfuzz.Same(t, done.Result, out.Result) || !functorfuzz.Same(t, done.Result, result) {
			return calls, faults, fmt.Errorf("call %d: Go returns %#x, the IR %#x, the PTX %#x", i, done.Result, out.Result, result)
		}
		for k := range f.Fields {
			for j, x := range done.Slices[k] {
				for who, d := range data {
					if y := d.Slices[k][j]; !functorfuzz.Same(f.Fields[k].Type, x, y) {
						return calls, faults, fmt.Errorf("call %d: %s[%d] is %#x in Go, %#x by the %s", i, f.Fields[k].Name, j, x, y, who)
					}
					d.Slices[k][j] = x // NaN have other bits
				}
			}
		}
	}
	return calls, faults, nil
}
