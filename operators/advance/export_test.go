package advance

// Methods that functors and sinks may have.
type (
	RowsFunctor = rowsFunctor
	Ell4Functor = ell4Functor
)

// TileEdges is the most edges that a functor gets in one call.
const TileEdges = tileEdges
