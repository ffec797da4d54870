// Package ahead embeds machine code of the kernels of functors in algos, which internal/tools/ahead writes. Packages with
// functors import it for its effect; programs that have only functors of their own don't link it.
package ahead
