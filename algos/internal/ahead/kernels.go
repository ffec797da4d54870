//go:build linux && (amd64 || arm64) && !nocuda

// This file embeds the machine code.

package ahead

import (
	_ "embed"

	"github.com/foray-graph/foray/internal/gpu"
)

//go:embed ahead.bin
var pack []byte

// init makes the pack known; a device reads it when it needs a kernel.
func init() { gpu.AddAhead(pack) }
