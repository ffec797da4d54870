//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels that need no functor of an algorithm's own. An
// image is loaded when one of its kernels is first launched.

package advance

import _ "embed"

//go:generate go run ../../internal/tools/fatbin -o advance.fatbin.zst advance.cu

//go:generate go run ../../internal/tools/fatbin -ptx -o edges.fatbin.zst edges.cu

//go:embed advance.fatbin.zst
var image []byte

//go:embed edges.fatbin.zst
var edgesImage []byte
