// This file records which modules a program makes, so that they are compiled ahead.

package link

import (
	"slices"
	"strings"

	"github.com/foray-graph/foray/internal/gpu"
)

// recorder gets the modules.
var recorder func(gpu.Ahead)

// majors are the GPUs that machine code is compiled for, by the architecture of the PTX that they get.
var majors = map[int]int{70: 8, 90: 9}

// Record has f called with each module that is made from now on, or would have been made for another graph or GPU: for all architectures, and of a push for all
// strategies, since these depend on the graph and on the GPU. A module may come several times. A program calls Record
// before it makes modules. Offsets are narrow: graphs with wide ones have 2^32 edges and more, which take longer to
// load than a kernel to compile, and their code would double the size.
func Record(f func(gpu.Ahead)) {
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
			text, err := s.splice(items, name+narrow, block, Everything)
			if err != nil {
				return err
			}
			recorder(gpu.Ahead{Kernel: name + narrow, Major: majors[arch], PTX: text})
		}
	}
	return nil
}
