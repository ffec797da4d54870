//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package steps

import _ "embed"

//go:generate go run ../../../../internal/tools/fatbin -o lanes.fatbin.zst lanes.cu

//go:embed lanes.fatbin.zst
var image []byte
