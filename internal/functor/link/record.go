// This file records which modules a program makes, so that they are compiled ahead.

package link

import (
	"slices"
	"strings"
)

// Recorded is a module that a program made, or would have made for another graph or GPU.
type Recorded struct {
	Kernel string // with the width
	Arch   int    // of Arches
	PTX    []byte // with a zero behind it
}

// recorder gets the modules.
var recorder func(Recorded)

// Record has f called with each module that is made from now on: for all architectures, and of a push for all
// strategies, since these depend on the graph and on the GPU. A module may come several times. A program calls Record
// before it makes modules. Offsets are narrow: graphs with wide ones have 2^32 edges and more, which take longer to
// load than a kernel to compile, and their code would double the size.
func Record(f func(Recorded)) {
	texts.Lock()
	defer texts.Unlock()
	recorder = f
}

// narrow is the width of the modules that are recorded.
const narrow = "_o32"

// strategies end the names of kernels that do the same in other ways (operators/advance).
var strategies = []string{"thread", "twc", "merge"}

// record passes on the modules that one of them stands for. texts is locked.
func (s *Set) record(kernel string, block int) error {
	names := []string{kernel}
	for _, one := range strategies {
		if begin, ok := strings.CutSuffix(kernel, "_"+one); ok {
			names = names[:0]
			for _, other := range strategies {
				names = append(names, begin+"_"+other)
			}
		}
	}
	for _, arch := range Arches {
		for _, name := range names {
			items, err := unpacked(imageOf(name), arch, narrow)
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(items, func(it item) bool { return it.Kernel == name+narrow }) {
				continue
			}
			text, err := s.splice(items, name+narrow, block)
			if err != nil {
				return err
			}
			recorder(Recorded{name + narrow, arch, text})
		}
	}
	return nil
}
