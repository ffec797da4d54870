// This file holds the search as a variant of that of package bfs.

package dobfs

import "github.com/foray-graph/foray/algos/bfs"

// variant is the search.
var variant = bfs.Variant{Name: "dobfs", Pulls: pulls, Image: image, Kernel: "dobfs_fused", TiersImage: imageTiers, TiersKernel: "dobfs_tiers", Alpha: defaultAlpha, Beta: defaultBeta}
