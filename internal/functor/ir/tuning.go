// This file holds tuning numbers.

package ir

// Stripes is how many words an accumulator has on a GPU: threads bring their values to
// different ones, since atomic operations on one word run one after the other. It is 16
// blocks of 256 threads, a power of 2.
const Stripes = 1 << 12

// BlockWords is how many words the blocks of all functors of a kernel may have: 1 KB of the 4
// that a kernel's parameters may take.
const BlockWords = 128

// mostPaths is how many branches of a method Tells follows. Foray's own methods have some dozens.
const mostPaths = 1000
