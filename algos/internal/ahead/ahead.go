// Package ahead embeds machine code of the kernels of functors in algos, which internal/tools/ahead writes. Packages with
// functors import it for its effect; programs without these packages don't link it.
package ahead
