// This file embeds the kernels that need no functor of an algorithm's own.

package advance

import _ "embed"

//go:generate go run ../../internal/fatbin -o advance.fatbin advance.cu

//go:embed advance.fatbin
var image []byte
