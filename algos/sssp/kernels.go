//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package sssp

import _ "embed"

//go:generate go run ../../internal/tools/fatbin -newest -o across.fatbin.zst across.cu

//go:generate go run ../../internal/tools/fatbin -newest -o windows.fatbin.zst windows.cu

var (
	//go:embed across.fatbin.zst
	image []byte
	//go:embed windows.fatbin.zst
	windowsImage []byte
)
