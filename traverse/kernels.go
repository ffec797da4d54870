//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package traverse

import _ "embed"

//go:generate go run ../internal/tools/fatbin -o traverse.fatbin.zst traverse.cu

//go:generate go run ../internal/tools/fatbin -newest -o exchange.fatbin.zst exchange.cu

//go:embed traverse.fatbin.zst
var image []byte

//go:embed exchange.fatbin.zst
var exchangeImage []byte
