// This file holds how PTX kernels with holes are packed. The kernels of one width of offsets for one kind
// of GPU are unpacked without the others.

package link

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/foray-graph/foray/internal/gpu"
)

// Arches are the compute capabilities, by 10, that PTX is made for: the oldest, and the first
// that has clusters. Architectures in between take the text for the oldest.
var Arches = []int{70, 90}

// Widths are the ends of kernels' names.
var Widths = []string{"_o32", "_o64"}

var magic = []byte("FORAYSK2")

// ErrDamaged: not what PackKernels returned.
var ErrDamaged = errors.New("link: damaged kernels")

// PackKernels packs a text for every arch. Those of one width are one frame, since they hardly differ: that
// takes half the room, and 3 ms more to unpack. pack makes a frame (internal/tools/pack).
func PackKernels(texts map[int][]byte, pack func([]byte) ([]byte, error)) ([]byte, error) {
	out, frames := slices.Clone(magic), []byte(nil)
	for _, width := range Widths {
		var both []byte
		for _, arch := range Arches {
			text, err := only(string(texts[arch]), width)
			if err != nil {
				return nil, fmt.Errorf("%w, compute_%d", err, arch)
			}
			out = binary.LittleEndian.AppendUint32(out, uint32(len(text)))
			both = append(both, text...)
		}
		packed, err := pack(both)
		if err != nil {
			return nil, err
		}
		out = binary.LittleEndian.AppendUint32(out, uint32(len(packed)))
		frames = append(frames, packed...)
	}
	return append(out, frames...), nil
}

// SameKernels reports whether two packs have the same kernels, however tightly.
func SameKernels(a, b []byte) bool {
	for _, arch := range Arches {
		for _, width := range Widths {
			one, err := kernelText(a, arch, width)
			other, err2 := kernelText(b, arch, width)
			if err != nil || err2 != nil || one != other {
				return false
			}
		}
	}
	return true
}

// RepackKernels packs the frames of a pack again.
func RepackKernels(packed []byte, pack func([]byte) ([]byte, error)) ([]byte, error) {
	out, frames := slices.Clone(magic), []byte(nil)
	each := 4 * (len(Arches) + 1)
	at := len(magic) + each*len(Widths)
	if !bytes.HasPrefix(packed, magic) || len(packed) < at {
		return nil, ErrDamaged
	}
	for w := range Widths {
		lengths := packed[len(magic)+each*w:][:each]
		size := int(binary.LittleEndian.Uint32(lengths[each-4:]))
		if size > len(packed)-at {
			return nil, ErrDamaged
		}
		plain, err := gpu.UnpackImage(packed[at : at+size])
		if err != nil {
			return nil, err
		}
		frame, err := pack(plain)
		if err != nil {
			return nil, err
		}
		at += size
		out = binary.LittleEndian.AppendUint32(append(out, lengths[:each-4]...), uint32(len(frame)))
		frames = append(frames, frame...)
	}
	return append(out, frames...), nil
}

// kernelText unpacks the kernels of an arch, of Arches, and a width.
func kernelText(packed []byte, arch int, width string) (string, error) {
	a, w := slices.Index(Arches, arch), slices.Index(Widths, width)
	each := 4 * (len(Arches) + 1) // bytes of a width: the lengths of its texts, and that of their frame
	at := len(magic) + each*len(Widths)
	if a < 0 || w < 0 || !bytes.HasPrefix(packed, magic) || len(packed) < at {
		return "", ErrDamaged
	}
	length := func(width, i int) int {
		return int(binary.LittleEndian.Uint32(packed[len(magic)+each*width+4*i:]))
	}
	for i := range w {
		at += length(i, len(Arches))
	}
	size := length(w, len(Arches))
	if at > len(packed) || size > len(packed)-at {
		return "", ErrDamaged
	}
	both, err := gpu.UnpackImage(packed[at : at+size])
	if err != nil {
		return "", err
	}
	first := 0
	for i := range a {
		first += length(w, i)
	}
	if first > len(both) || length(w, a) > len(both)-first {
		return "", ErrDamaged
	}
	return string(both[first : first+length(w, a)]), nil
}

// only leaves the kernels of one width, and drops comments and empty lines.
func only(text, width string) (string, error) {
	items, err := itemsOf(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, it := range items {
		if it.Kernel != "" && !strings.HasSuffix(it.Kernel, width) {
			continue
		}
		var t strings.Builder
		for line := range strings.Lines(it.Text) {
			line = strings.TrimSpace(line)
			if i := strings.Index(line, "//"); i >= 0 {
				line = strings.TrimSpace(line[:i])
			}
			if line != "" {
				t.WriteString(line)
				t.WriteByte('\n')
			}
		}
		b.WriteString(shortNames(t.String()))
	}
	return b.String(), nil
}

var sharedName = regexp.MustCompile(`(?m)^\.shared \.align \d+ \.b8 (\w+)\[`)

// shortNames gives a kernel's shared memory short names.
func shortNames(text string) string {
	for i, m := range sharedName.FindAllStringSubmatch(text, -1) {
		text = strings.ReplaceAll(text, m[1], fmt.Sprintf("foray_shared_%d", i))
	}
	return text
}

// item is a part of a PTX text at its outer level.
type item struct {
	Kernel string // its name, if it is one
	Text   string

	function string // the name of the function that it declares or defines, if any; functionsApart sets it
}

// itemsOf divides a PTX text as the compiler writes it, where what begins at the outer level
// begins a line.
func itemsOf(text string) ([]item, error) {
	var items []item
	depth, begin, entry := 0, 0, ""
	for at := 0; at < len(text); {
		end := strings.IndexByte(text[at:], '\n') + 1
		if end == 0 {
			end = len(text) - at
		}
		line := strings.TrimSpace(text[at : at+end])
		if depth == 0 && strings.HasPrefix(line, ".visible .entry ") {
			if begin < at {
				items = append(items, item{Text: text[begin:at]})
			}
			begin = at
			entry = strings.TrimRight(strings.TrimPrefix(line, ".visible .entry "), "(")
		}
		was := depth
		depth += strings.Count(line, "{") - strings.Count(line, "}")
		if depth < 0 {
			return nil, ErrDamaged
		}
		at += end
		if was > 0 && depth == 0 && entry != "" {
			items = append(items, item{Kernel: entry, Text: text[begin:at]})
			begin, entry = at, ""
		}
	}
	if depth != 0 || entry != "" {
		return nil, ErrDamaged
	}
	return append(items, item{Text: text[begin:]}), nil
}

var functionName = regexp.MustCompile(`^\.func\s+(?:\([^)]*\)\s*)?([\w$]+)`)

// functionsApart divides what isn't a kernel so that each function is an item. A module has only the functions that its
// kernel calls: without them the text of a small kernel has 9 KB, with them 60, which the driver would compile.
func functionsApart(items []item) []item {
	var all []item
	for _, it := range items {
		if it.Kernel != "" {
			all = append(all, it)
			continue
		}
		begin, depth, name := 0, 0, ""
		cut := func(at int) {
			if at > begin {
				all = append(all, item{Text: it.Text[begin:at], function: name})
			}
			begin, name = at, ""
		}
		at := 0
		for line := range strings.Lines(it.Text) {
			if depth == 0 && name == "" {
				if m := functionName.FindStringSubmatch(line); m != nil {
					cut(at)
					name = m[1]
				}
			}
			was := depth
			depth += strings.Count(line, "{") - strings.Count(line, "}")
			at += len(line)
			if name != "" && depth == 0 && (was > 0 || strings.HasSuffix(strings.TrimSpace(line), ";")) {
				cut(at)
			}
		}
		cut(at)
	}
	return all
}

// called returns the names of the functions that a text calls, and those that these call.
func called(items []item, text string) map[string]bool {
	names := map[string]bool{}
	for texts := []string{text}; len(texts) > 0; texts = texts[1:] {
		for _, it := range items {
			if it.function == "" || names[it.function] || !strings.Contains(texts[0], it.function) {
				continue
			}
			names[it.function] = true
			for _, other := range items { // its definition and its declarations
				if other.function == it.function {
					texts = append(texts, other.Text)
				}
			}
		}
	}
	return names
}
