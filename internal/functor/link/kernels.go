//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the kernels.

package link

import _ "embed"

//go:generate go run ../../tools/fatbin -skeletons -o skeletons.bin skeletons.cu

//go:embed skeletons.bin
var skeletons []byte

//go:generate go run ../../tools/fatbin -skeletons -o keyed_skeletons.bin keyed.cu

//go:embed keyed_skeletons.bin
var keyedSkeletons []byte
