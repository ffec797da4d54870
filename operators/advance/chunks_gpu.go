// This file holds the visit of all edges of a graph that is in tiers on a GPU.

package advance

// visitChunks visits all edges, of rows that are streamed from the host's memory. done is false for rows on the device, and if
// there is no memory for buffers.
func (a *onGPU) visitChunks(kf kernelFunctor) (done bool, err error) {
	if a.chunks == nil {
		return false, nil
	}
	rows, err := a.chunks.Rows(false)
	if err != nil {
		return false, err
	}
	for i := range rows.Chunks {
		c := &rows.Chunks[i]
		count, edges := int(c.Count()), c.End-c.Begin
		if edges == 0 {
			continue
		}
		strategy := TWC
		if a.p.State().MaxDegree() <= evenRows {
			strategy = ThreadMapped
		}
		op, blocks, err := shape(strategy, count, edges)
		if err != nil {
			return false, err
		}
		part, err := a.chunks.Fetch(rows, c)
		if err != nil {
			return false, err
		}
		a.push = pushArgs{g: a.out(), in: inArgs{items: part.Items, edges: edges, count: part.Count}}
		a.push.g.targets = part.Targets
		if err := a.runRows(op, blocks, &a.tick, kf); err != nil {
			return false, err
		}
		if err := a.chunks.Done(); err != nil {
			return false, err
		}
	}
	return true, nil
}
