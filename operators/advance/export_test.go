package advance

// Methods that functors and sinks may have.
type (
	RowsFunctor  = rowsFunctor
	FoursFunctor = foursFunctor
)

// TileEdges is the most edges that a functor gets in one call.
const TileEdges = tileEdges
