// This file is the program around random functors.

package steps

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/functor/generate"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/functorfuzz"
	"github.com/foray-graph/foray/traverse"
)

// Write writes the source of a program into an empty folder of this module: n functors from the
// first seed on, their generated code, and a main function that is Main.
func Write(ctx context.Context, dir string, first uint64, n int) error {
	const each = 1000 // in a file
	files := map[string]*bytes.Buffer{"functors.go": bytes.NewBufferString("package main\n" + functorfuzz.Header)}
	var main bytes.Buffer
	main.WriteString("package main\n\nimport (\n\t\"os\"\n\n\t\"github.com/foray-graph/foray/internal/testing/functorfuzz/steps\"\n)\n\nfunc main() {\n\tos.Exit(steps.Main([]steps.Generated{\n")
	for seed := first; n > 0; seed++ {
		s := functorfuzz.GenerateStep(seed)
		f := s.Case.Functor
		file := fmt.Sprintf("functors%d.go", n/each)
		if files[file] == nil {
			files[file] = bytes.NewBufferString("package main\n" + functorfuzz.Imports)
		}
		files[file].WriteString(s.Text)
		n--
		var args []string
		for i, x := range f.Fields {
			how := "Num"
			if x.Slice {
				how = "Buf"
			}
			if x.Accumulator {
				how = "Acc"
			}
			args = append(args, fmt.Sprintf("steps.%s[%s](b, %d)", how, x.Type, i))
		}
		fmt.Fprintf(&main, "\t\t{Seed: %d, Go: func() any { return new(%s) }, New: func(b *steps.Bound) any { return New%s(%s) }},\n",
			seed, s.Name, s.Name, strings.Join(args, ", "))
	}
	main.WriteString("\t}))\n}\n")
	files["main.go"] = &main
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			return err
		}
	}
	return generate.Write(ctx, dir)
}

// NoGPU is what Main returns without a GPU. Package flag exits with 2.
const NoGPU = 3

// Main runs functors on a device, and prints what went wrong. It returns 1 if anything did,
// and NoGPU if this machine has none.
func Main(all []Generated) int {
	on := flag.String("device", "host", "host or cuda")
	workers := flag.Int("workers", 1, "of the host")
	flag.Parse()
	var dev device.Device = host.New(*workers)
	if *workers > 1 {
		tuning.PairsAfter = 0
	}
	engines := []traverse.Engine{traverse.LevelByLevel}
	if *on != "host" {
		var err error
		if dev, err = device.Open(*on); err != nil {
			fmt.Println(err)
			if errors.Is(err, device.ErrNotSupported) {
				return NoGPU
			}
			return 1
		}
		engines = append(engines, traverse.Persistent)
		if strings.HasPrefix(dev.Info().Model, "Emulated") {
			gpu.Patience = math.MaxUint32 // ticks are short there
		}
	}
	calls, faults, bad := 0, 0, 0
	for _, m := range all {
		for _, e := range engines {
			c, f, err := Run(context.Background(), dev, e, m)
			calls, faults = calls+c, faults+f
			if err != nil {
				bad++
				fmt.Printf("seed %d, %s, %s: %v\n", m.Seed, *on, e, err)
			}
		}
	}
	if err := dev.Close(); err != nil && !errors.Is(err, device.ErrNotSupported) {
		fmt.Println(err)
		bad++
	}
	fmt.Printf("%d functors, %d calls, %d of them faulted; %d differences\n", len(all), calls, faults, bad)
	if bad > 0 {
		return 1
	}
	return 0
}
