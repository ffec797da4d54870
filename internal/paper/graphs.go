// This file holds the graphs of the paper's table 1 and what stands for them.

package paper

// Scale is a size of the stand-ins.
type Scale string

// The scales: a minute's work for two cores, for sixteen, and the sizes of the paper.
const (
	Small  Scale = "small"
	Medium Scale = "medium"
	Paper  Scale = "paper"
)

// Scales are all of them, the smallest first.
var Scales = []Scale{Small, Medium, Paper}

// StandIn is a graph that stands for one of the paper's.
type StandIn struct {
	Name      string    `json:"name"` // the original's
	Kind      string    `json:"kind"`
	Directed  bool      `json:"directed"`
	Published Published `json:"published"`
	specs     [3]string // of package gen, by scale
}

// Published is what the paper's tables 1 and 2 say of the original.
type Published struct {
	Vertices      float64 `json:"vertices"`
	DirectedEdges float64 `json:"directed_edges"`
	Depth         float64 `json:"depth"`
	GTEPS         float64 `json:"gteps_c2050"` // 10^9 directed edges a second, distances, on a Tesla C2050
}

// Spec returns the spec of the stand-in at a scale.
func (s *StandIn) Spec(scale Scale) string {
	for i, x := range Scales {
		if x == scale {
			return s.specs[i]
		}
	}
	return ""
}

// StandIns returns the graphs, in the order of table 1.
func StandIns() []StandIn {
	const million = 1e6
	return []StandIn{
		{"europe.osm", "road network", false, Published{50.9 * million, 108.1 * million, 19314, .31},
			[3]string{"road:250x250,chain=12,even", "road:1000x1000,chain=12,even", "road:4302x4302,chain=10,even"}},
		{"grid5pt.5000", "5-point lattice", false, Published{25 * million, 125 * million, 7500, .60},
			[3]string{"grid2d:300x300", "grid2d:1500x1500", "grid2d:5000x5000"}},
		{"hugebubbles-00020", "triangle mesh", false, Published{21.2 * million, 63.6 * million, 6151, .43},
			[3]string{"mesh:200x200", "mesh:1000x1000", "mesh:3256x3256"}},
		{"grid7pt.300", "7-point lattice", false, Published{27 * million, 188.5 * million, 679, 1.1},
			[3]string{"grid3d:40x40x40", "grid3d:120x120x120", "grid3d:300x300x300"}},
		{"nlpkkt160", "KKT matrix", false, Published{8.3 * million, 221.2 * million, 142, 2.5},
			[3]string{"kkt:24x24x24", "kkt:60x60x60", "kkt:160x160x160"}},
		{"audikw1", "finite elements", false, Published{.9 * million, 76.7 * million, 62, 3.0},
			[3]string{"fem:16x16x16", "fem:34x34x34", "fem:68x68x68"}},
		{"cage15", "banded matrix", true, Published{5.2 * million, 94 * million, 37, 2.2},
			[3]string{"banded:n=60000,band=1230", "banded:n=600000,band=12200", "banded:n=5154859,band=105000"}},
		{"kkt_power", "optimization network", false, Published{2.1 * million, 13 * million, 37, 1.1},
			[3]string{"smallworld:n=60000,k=6,p=0.03", "smallworld:n=400000,k=6,p=0.03", "smallworld:n=2063494,k=6,p=0.03"}},
		{"coPapersCiteseer", "cliques", false, Published{.4 * million, 32.1 * million, 26, 3.0},
			[3]string{"cliques:n=20000,count=16600,window=710", "cliques:n=100000,count=83000,window=3570", "cliques:n=434102,count=360000,window=15500"}},
		{"wikipedia-20070206", "web-like", true, Published{3.6 * million, 45 * million, 20, 1.6},
			[3]string{"web:n=60000", "web:n=600000", "web:n=3566907"}},
		{"kron_g500-logn20", "R-MAT", false, Published{1 * million, 100.7 * million, 6, 3.1},
			[3]string{"kron13:edgefactor=48", "kron17:edgefactor=48", "kron20:edgefactor=48"}},
		{"random.2Mv.128Me", "uniform random", false, Published{2 * million, 128 * million, 6, 3.0},
			[3]string{"urand:n=20000,edgefactor=32", "urand:n=200000,edgefactor=32", "urand:n=2000000,edgefactor=32"}},
		{"rmat.2Mv.128Me", "R-MAT, less skewed", false, Published{2 * million, 128 * million, 6, 3.3},
			[3]string{"kron14:edgefactor=32,a=0.45,b=0.15,c=0.15", "kron18:edgefactor=32,a=0.45,b=0.15,c=0.15", "kron21:edgefactor=32,a=0.45,b=0.15,c=0.15"}},
	}
}
