//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package dobfs

import _ "embed"

//go:generate go run ../../internal/tools/fatbin -o dobfs.fatbin.zst dobfs.cu

//go:embed dobfs.fatbin.zst
var image []byte

//go:generate go run ../../internal/tools/fatbin -newest -o tiers.fatbin.zst tiers.cu

//go:embed tiers.fatbin.zst
var imageTiers []byte
