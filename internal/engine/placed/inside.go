// This file holds what operators alone use of placed graphs, and how they pass what a device has to package graph.

package placed

import (
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/discrete"
)

// Inside is the part of a graph.Placed that operators alone use. The placed graph embeds it.
type Inside struct {
	R       *Remote                         // for Remote
	Uploads func() (*RemotePrepared, error) // for PrepareRemote; nil on the host
}

// Remote returns where the graph's arrays are, or nil on a device whose memory
// the host can address.
func (p *Inside) Remote() *Remote { return p.R }

// PrepareRemote is Arrays.Prepare, with the arrays uploaded. It returns nil where the
// graph has no reverse or isn't on such a device. The error is the device's, or
// device.ErrClosed once the placed graph was closed.
func (p *Inside) PrepareRemote() (*RemotePrepared, error) {
	if p.Uploads == nil {
		return nil, nil
	}
	return p.Uploads()
}

// Loaded is a device that has a graph's arrays already. graph.Graph.On takes them over, even if
// there is an error; it doesn't check that they match the graph.
type Loaded struct {
	discrete.Device
	Parts Parts
}

// Making is a device as graph.Options.Device of a Builder that gets no edges: the device generates
// those of the Maker. Build returns ErrNotMade where the host can build the graph instead.
type Making struct {
	device.Device
	Maker *Maker
}

// ErrNotMade says that the device doesn't generate the edges: it doesn't support that, has too
// little memory, or the edges are few.
var ErrNotMade = errors.New("graph: the device makes no edges")
