//go:build linux && (amd64 || arm64) && !nocuda

// This file holds how a search's result gets from the GPU to the host, in the part's own numbers.

package engine

import (
	"errors"

	"github.com/foray-graph/foray/internal/discrete"
)

func (s *gpuSearch) result() (*found, error) {
	p, a := s.p, &s.a
	f := &found{depths: make([]int32, p.local), depthD: make([]int32, len(p.delegate))}
	for i := range f.depths {
		f.depths[i] = -1
	}
	normals := make([]int32, len(s.order))
	err := errors.Join(discrete.Read(s.dev, normals, at64(a.depths[0])), discrete.Read(s.dev, f.depthD, at64(a.depths[1])))
	if err != nil {
		return nil, err
	}
	for i, v := range s.order {
		f.depths[v] = normals[i]
	}
	for _, v := range s.own {
		f.depths[v] = 0
	}
	for _, d := range p.here {
		f.depths[d.local] = f.depthD[d.number]
	}
	if !s.r.options.Parents {
		return f, nil
	}
	f.parentN, f.parentD = make([]place, p.local), make([]place, len(p.delegate))
	from := make([]uint64, len(s.order))
	read := func(dst []uint64, at uint64) error { return discrete.Read(s.dev, dst, at64(at)) }
	if err := errors.Join(read(from, a.parents[0]), read(numbersOf[uint64](bytesOf(f.parentD)), a.parents[1])); err != nil {
		return nil, err
	}
	for i, v := range s.order {
		f.parentN[v] = s.placeOf(from[i])
	}
	for _, v := range s.own {
		f.parentN[v] = at(p.rank, v)
	}
	for i, v := range f.parentD {
		f.parentD[i] = s.placeOf(uint64(v))
	}
	return f, nil
}

// placeOf is the place of a parent, as kernels write it.
func (s *gpuSearch) placeOf(v uint64) place {
	x := place(v)
	if x == noParent || x.delegate() || int(x.local()) >= len(s.order) { // the last: not reached, nothing was written
		return x
	}
	return at(s.p.rank, s.order[x.local()])
}
