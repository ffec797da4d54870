// This file rewrites CUDA C++ as C++, after the preprocessor: the syntax that the host's
// compiler doesn't have.

package emulator

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

var (
	kernelBounds  = `(?:__launch_bounds__\(([^()]*)\)\s*)?`
	kernelPattern = regexp.MustCompile(`(?:extern "C"\s+)?__global__\s+` + kernelBounds + `void\s+` + kernelBounds + `(\w+)\s*\(`)
	globalPattern = regexp.MustCompile(`__device__\s+(?:[\w:]+\s+)+(\w+)\s*(?:\[[^\]]*\])*\s*=`)
	externShared  = regexp.MustCompile(`extern\s+__shared__\s+(?:__attribute__\(\(aligned\(\d+\)\)\)\s*)?([\w ]+?)\s+(\w+)\[\]\s*;`)
	staticShared  = regexp.MustCompile(`__shared__\s+([^;=]+?)\s+(\w+)((?:\[[^\]]*\])*)\s*;`)
	deviceWord    = regexp.MustCompile(`\b__device__\b`)
	leftOver      = regexp.MustCompile(`__(?:global|shared|constant|managed|launch_bounds)__[^;]*|\basm\b[^;]*`)
)

// rewrite returns a preprocessed source as C++, with the tables of its kernels
// and variables, whose names end in n.
func rewrite(text []byte, n string) ([]byte, error) {
	// Text that the command line includes comes before, and needs no change.
	end := bytes.LastIndex(text, []byte("\"<command-line>\" 2"))
	if end < 0 {
		return nil, fmt.Errorf("the preprocessor's output begins otherwise than expected")
	}
	var kernels, globals strings.Builder
	body := kernelPattern.ReplaceAllStringFunc(string(text[end:]), func(s string) string {
		m := kernelPattern.FindStringSubmatch(s)
		bounds := m[1] + m[2]
		if bounds == "" {
			bounds = "0"
		}
		fmt.Fprintf(&kernels, "  {\"%s\", Entry<::%s>::run, Entry<::%s>::sizes, %s},\n", m[3], m[3], m[3], bounds)
		return "static void " + m[3] + "("
	})
	if kernels.Len() == 0 {
		return nil, fmt.Errorf("no kernel in it")
	}
	for _, m := range globalPattern.FindAllStringSubmatch(body, -1) {
		fmt.Fprintf(&globals, "  {\"%s\", (void*)&::%s, sizeof ::%s},\n", m[1], m[1], m[1])
	}
	body = strings.ReplaceAll(body, `extern "C" {`, "namespace {")
	body = externShared.ReplaceAllString(body, "$1* $2 = ($1*)emu::shared_dynamic();")
	at := 0
	body = staticShared.ReplaceAllStringFunc(body, func(s string) string {
		m := staticShared.FindStringSubmatch(s)
		at++
		return fmt.Sprintf("using emu_type_%[1]d = %[2]s %[4]s; static const char emu_id_%[1]d = 0; "+
			"emu_type_%[1]d& %[3]s = *(emu_type_%[1]d*)emu::shared_static(&emu_id_%[1]d, sizeof(emu_type_%[1]d), \"%[3]s\");", at, m[1], m[2], m[3])
	})
	body = deviceWord.ReplaceAllString(body, "")
	if m := leftOver.FindString(body); m != "" {
		return nil, fmt.Errorf("the emulator doesn't know what to do with %q", m)
	}
	return fmt.Appendf(nil, "%s%s\nnamespace emu {\nextern const Kernel kernels_%s[] = {\n%s  {}};\nextern const Global globals_%s[] = {\n%s  {}};\n}\n",
		text[:end], body, n, kernels.String(), n, globals.String()), nil
}
