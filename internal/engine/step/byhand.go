// This file holds the functors and sinks of Foray's own that bring kernels in CUDA C++.

package step

// Kernels is the GPU side of a functor or sink in CUDA C++ that whole warps call: advance.All and Claim, the sinks
// beside them, the functors of package intersect, and those of breadth-first search. It is not for functors of users.
type Kernels interface {
	// Kernels returns the fatbin that the macro was compiled to (FORAY_PUSH, FORAY_PULL or FORAY_INTERSECT), the
	// same slice each time, and the name that was given there. The fatbin may be compressed, as one zstd frame.
	Kernels() (image []byte, name string)
	// Params writes the fields, as the device side has them, to words, before each launch. words may hold those of
	// another functor.
	Params(words *Params)
}

// ExtraKernels are Kernels of which those of FORAY_PUSH_EXTRA are in a separate image, which is loaded only if a
// strategy or operator needs one of them. Without it they are expected in the image of Kernels.
type ExtraKernels interface {
	Kernels
	// ExtraKernels returns the fatbin that FORAY_PUSH_EXTRA was compiled to, as Kernels does that of FORAY_PUSH.
	ExtraKernels() (image []byte, name string)
}

// Params is a functor's or sink's fields on the device, 64 bytes at most, in the order and alignment that C++ has.
type Params [8]uint64
