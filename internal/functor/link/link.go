// Package link joins functors written in Go with what runs them: their code with precompiled kernels, and their fields
// with host loops and kernels. It also reports a functor's faults and folds its accumulators. Generated code imports it
// as package functor.
//
// The kernels are PTX with holes (holes.cuh): lines such as
//
//	FORAY_EDGE %r7, %r3, %r4, %r5, %rd9;
//
// They are replaced by the text of a functor's method, or of several with a branch between
// them. The driver compiles the result, the one kernel that is launched.
package link

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/gpu"
)

// BlockWords is how many words the functors of a kernel have for their fields (holes.cuh).
const BlockWords = ir.BlockWords

// ErrRoom: functors that no one kernel takes together.
var ErrRoom = errors.New("not for one kernel")

// Set is the functors of a kernel.
type Set struct {
	parts []part
	words int
	again Again
}

type part struct {
	f    Functor
	code *Code
	in   bool
	how  int // the reduction of values of vertices
	step string
	base int // of its block, in words
	// Which one it is of those with such a method.
	edge, vertex, gather int
}

// Use is a step's use of a functor.
type Use struct {
	In   bool // over in-edges
	How  int  // the reduction of the scalar that values of vertices are brought to
	Into any  // that scalar, or nil
	Due  bool // it is asked when vertices are due, which changes no accumulator
	Keep bool // it is asked which vertices stay
	// Step is the step's name, which a fault is told with: the first one's, of several that use
	// a functor in the same way.
	Step string
}

// Add adds a functor, if it isn't among them, and returns which one it is of those with the
// method Edge, of those with Vertex, and of those with Gather.
func (s *Set) Add(f Functor, u Use) (edge, vertex, gather int, err error) {
	p := part{f: f, code: f.Code(), in: u.In, how: u.How, step: u.Step, base: s.words}
	for _, q := range s.parts {
		if q.f == f && q.in == p.in && q.how == p.how {
			return q.edge, q.vertex, q.gather, nil
		}
		for _, m := range []struct {
			text string
			n    *int
		}{{q.code.Edge, &p.edge}, {q.code.Vertex, &p.vertex}, {q.code.Gather, &p.gather}} {
			if m.text != "" {
				*m.n++
			}
		}
	}
	s.words += p.code.Words
	if s.words > BlockWords {
		return 0, 0, 0, fmt.Errorf("%w: functors with %d words of fields, of %d", ErrRoom, s.words, BlockWords)
	}
	s.parts = append(s.parts, p)
	return p.edge, p.vertex, p.gather, nil
}

// Empty takes all functors out.
func (s *Set) Empty() {
	clear(s.parts)
	s.parts, s.words = s.parts[:0], 0
}

// Clone returns a set of the same functors.
func (s *Set) Clone() Set { return Set{parts: slices.Clone(s.parts), words: s.words} }

// Equal reports whether two sets have the same functors, in the same order, for the same uses.
func (s *Set) Equal(t *Set) bool {
	return slices.EqualFunc(s.parts, t.parts, func(p, q part) bool {
		// Only pointers are known to be comparable.
		return p.code == q.code && reflect.TypeOf(p.f).Kind() == reflect.Pointer && p.f == q.f && p.in == q.in && p.how == q.how && p.step == q.step
	})
}

// Same reports whether the blocks of functors would be those in words, but for numbers, which it writes
// into them. After false they are of no use.
func (s *Set) Same(p *graph.Placed, words []uint64) bool {
	for i := range s.parts {
		if q := &s.parts[i]; !s.again.Same(q.f, p, q.in, true, words[q.base:q.base+q.code.Words]) {
			return false
		}
	}
	return true
}

// Each calls yield for every functor, with the use that it is put to, in the order of their
// blocks.
func (s *Set) Each(yield func(f Functor, u Use) error) error {
	for _, p := range s.parts {
		if err := yield(p.f, Use{In: p.in, How: p.how, Step: p.step}); err != nil {
			return err
		}
	}
	return nil
}

// texts are the modules that were made, by kernel, width, architecture and functors.
var texts struct {
	sync.Mutex
	made map[string]*module
	// The kernels of an image for an arch and a width, unpacked.
	kernels map[string][]item
	hashes  map[*byte]uint64
}

// Bits for Module: a graph with short rows alone, a graph with long rows, and all bits, for kernels of one operation.
const (
	ShortRows  = 1 << 29
	LongRows   = 1 << 30
	Everything = math.MaxUint32
)

// Module returns the PTX of a kernel with the functors in it, the same slice for the same functors. arch is the device's
// compute capability by 10, block the number of the kernel's parameter that is the functors' block. has are the
// operations and the kinds of functors of a persistent kernel's program, and the rows of its graph, as bits
// (traverse/program.cuh): the driver compiles no other code of the kernel. Other kernels have Everything, and so have
// kernels that were compiled ahead, which serve all programs.
func (s *Set) Module(kernel, width string, arch, block int, has uint32) ([]byte, error) {
	texts.Lock()
	defer texts.Unlock()
	whole, err := s.made(kernel, width, arch, block, Everything)
	if err != nil || has == Everything || whole.isAhead(arch) {
		return whole.text, err
	}
	m, err := s.made(kernel, width, arch, block, has)
	return m.text, err
}

// module is a module that was made.
type module struct {
	text  []byte
	ahead map[int]bool // whether its machine code is there, by the GPU's major number
}

// isAhead reports whether a module was compiled ahead. texts is locked.
func (m *module) isAhead(arch int) bool {
	major := arch / 10
	is, known := m.ahead[major]
	if !known {
		if m.ahead == nil {
			m.ahead = map[int]bool{}
		}
		is = gpu.IsAhead(m.text, major)
		m.ahead[major] = is
	}
	return is
}

// made returns a module, which it makes on the first call. texts is locked.
func (s *Set) made(kernel, width string, arch, block int, has uint32) (*module, error) {
	of := Arches[0]
	for _, a := range Arches {
		if a <= arch {
			of = a
		}
	}
	var key strings.Builder
	fmt.Fprintf(&key, "%s%s %d %x", kernel, width, of, has)
	for _, p := range s.parts {
		fmt.Fprintf(&key, " %p %d", p.code, p.how)
	}
	if m := texts.made[key.String()]; m != nil {
		return m, nil
	}
	all, err := unpacked(imageOf(kernel), of, width)
	if err != nil {
		return &module{}, err
	}
	text, err := s.splice(all, kernel+width, block, has)
	if err != nil {
		return &module{}, err
	}
	if texts.made == nil {
		texts.made = map[string]*module{}
	}
	m := &module{text: text}
	texts.made[key.String()] = m
	if recorder != nil && has == Everything {
		return m, s.record(kernel, block)
	}
	return m, nil
}

// imageOf returns the image that has a kernel: those of reduces by key are apart, since few programs launch them.
func imageOf(kernel string) []byte {
	if strings.HasPrefix(kernel, "foray_keyed") {
		return keyedSkeletons
	}
	return skeletons
}

// unpacked returns the kernels of an image for an arch and a width. texts is locked.
func unpacked(image []byte, arch int, width string) ([]item, error) {
	key := fmt.Sprintf("%p %d%s", image, arch, width)
	if items := texts.kernels[key]; items != nil {
		return items, nil
	}
	text, err := kernelText(image, arch, width)
	if err != nil {
		return nil, err
	}
	items, err := itemsOf(text)
	if err != nil {
		return nil, err
	}
	if texts.kernels == nil {
		texts.kernels = map[string][]item{}
	}
	texts.kernels[key] = functionsApart(items)
	return texts.kernels[key], nil
}

// splice returns the module of one kernel, with a zero behind it.
func (s *Set) splice(items []item, kernel string, block int, has uint32) ([]byte, error) {
	at := slices.IndexFunc(items, func(it item) bool { return it.Kernel == kernel })
	if at < 0 {
		return nil, fmt.Errorf("link: no kernel %s", kernel)
	}
	calls := called(items, items[at].Text)
	holes, err := s.holes(fmt.Sprintf("%s_param_%d", kernel, block))
	if err != nil {
		return nil, err
	}
	holes["HAS"] = &hole{texts: []string{fmt.Sprintf("{ mov.b32 $0, %d; }", has)}, bases: []int{0}}
	var b strings.Builder
	b.WriteString(s.told(imageOf(kernel), block, holes))
	for _, it := range items {
		switch {
		case it.Kernel == kernel:
			if err := fill(&b, it.Text, holes); err != nil {
				return nil, fmt.Errorf("link: kernel %s: %w", kernel, err)
			}
		case it.Kernel == "" && (it.function == "" || calls[it.function]):
			b.WriteString(it.Text)
		}
	}
	b.WriteByte(0)
	return []byte(b.String()), nil
}

// told is what the emulated GPU reads: which kernels these are, and the texts.
func (s *Set) told(image []byte, block int, holes map[string]*hole) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// foray spliced 1\n// skeleton %016x\n// block %d\n", hashOf(image), block)
	for _, name := range sorted(holes) {
		for i, text := range holes[name].texts {
			fmt.Fprintf(&b, "// begin %s %d %d\n", name, i, holes[name].bases[i])
			for line := range strings.Lines(text) {
				fmt.Fprintf(&b, "//| %s\n", strings.TrimRight(line, "\n"))
			}
			b.WriteString("// end\n")
		}
	}
	return b.String()
}

// hashOf returns the number by which the emulated GPU knows an image. texts is locked.
func hashOf(image []byte) uint64 {
	key := unsafe.SliceData(image)
	if n, ok := texts.hashes[key]; ok {
		return n
	}
	if texts.hashes == nil {
		texts.hashes = map[*byte]uint64{}
	}
	h := fnv.New64a()
	h.Write(image)
	texts.hashes[key] = h.Sum64()
	return texts.hashes[key]
}

func sorted(holes map[string]*hole) []string {
	var names []string
	for _, n := range holeNames {
		if holes[n] != nil {
			names = append(names, n)
		}
	}
	return names
}

// holeNames are the names of the lines, without FORAY_.
var holeNames = []string{"EDGE", "HIT", "VERTEX", "GATHER32", "GATHER64", "APPLY32", "APPLY64", "FOLD32", "FOLD64", "ZERO32", "ZERO64", "VFOLD", "VZERO", "GFOLD", "GZERO", "PURE", "WIDEN32", "WIDEN64", "NARROW32", "NARROW64",
	"KEY", "SCORED", "SCORE32", "SCORE64", "APPLYKEY32", "APPLYKEY64", "HAS"}

const mark = "FORAY_"

// fill writes a kernel with its holes filled.
func fill(b *strings.Builder, text string, holes map[string]*hole) error {
	several := map[string]bool{}
	for _, h := range holes {
		if len(h.texts) > 1 {
			several[h.selector] = true
		}
	}
	begun := false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, mark):
			if err := one(b, strings.TrimSuffix(strings.TrimSpace(line), ";"), holes, several); err != nil {
				return err
			}
		case !begun && strings.HasPrefix(line, "{"):
			begun = true
			b.WriteString(line)
			for _, name := range []string{"foray_edge", "foray_vertex", "foray_gather"} {
				if several[name] {
					fmt.Fprintf(b, ".reg .b32 %s;\nmov.b32 %s, 0;\n", name, name)
				}
			}
		default:
			b.WriteString(line)
		}
	}
	return nil
}

// one writes what stands for a line.
func one(b *strings.Builder, line string, holes map[string]*hole, several map[string]bool) error {
	name, rest, _ := strings.Cut(strings.TrimPrefix(line, mark), " ")
	operands := strings.Split(rest, ",")
	for i := range operands {
		operands[i] = strings.TrimSpace(operands[i])
	}
	if kind, ok := strings.CutPrefix(name, "SELECT_"); ok {
		if r := selectors[kind]; several[r] {
			fmt.Fprintf(b, "mov.b32 %s, %s;\n", r, operands[0])
		}
		return nil
	}
	h := holes[name]
	if h == nil { // of code that these steps don't reach
		width := 64
		if name == "EDGE" || name == "HIT" || name == "PURE" || name == "KEY" || name == "SCORED" || strings.HasPrefix(name, "NARROW") ||
			strings.HasSuffix(name, "32") && !strings.HasPrefix(name, "APPLY") && !strings.HasPrefix(name, "SCORE") {
			width = 32
		}
		fmt.Fprintf(b, "mov.b%d %s, 0;\n", width, operands[0])
		return nil
	}
	if len(h.texts) == 1 {
		return h.write(b, 0, operands)
	}
	b.WriteString("{\n.reg .pred foray_p;\n")
	for i := range h.texts {
		last := i == len(h.texts)-1
		if !last {
			fmt.Fprintf(b, "setp.ne.u32 foray_p, %s, %d;\n@foray_p bra foray_next_%d;\n", h.selector, i, i)
		}
		if err := h.write(b, i, operands); err != nil {
			return err
		}
		if !last {
			fmt.Fprintf(b, "bra foray_done;\nforay_next_%d:\n", i)
		}
	}
	b.WriteString("foray_done:\n}\n")
	return nil
}

// write writes a text with its placeholders filled in: $0 and so on the operands, [$p+8] the
// functor's block.
func (h *hole) write(b *strings.Builder, i int, operands []string) error {
	text := h.texts[i]
	for {
		at := strings.IndexByte(text, '$')
		if at < 0 {
			break
		}
		b.WriteString(text[:at])
		text = text[at+1:]
		if rest, ok := strings.CutPrefix(text, "p+"); ok {
			n := 0
			for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
				n++
			}
			offset, err := strconv.Atoi(rest[:n])
			if err != nil {
				return fmt.Errorf("%q is no place in a block", text)
			}
			fmt.Fprintf(b, "%s+%d", h.param, h.bases[i]+offset)
			text = rest[n:]
			continue
		}
		if text == "" || text[0] < '0' || int(text[0]-'0') >= len(operands) {
			return fmt.Errorf("operand $%.1s of %d", text, len(operands))
		}
		b.WriteString(operands[text[0]-'0'])
		text = text[1:]
	}
	b.WriteString(text)
	b.WriteByte('\n')
	return nil
}
