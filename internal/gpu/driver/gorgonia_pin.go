//go:build gorgonia && !gorgonia

// This file is never built. It keeps google.golang.org/genproto in go.mod, at a
// version in which its package googleapis/rpc had already become a separate
// module. gorgonia.org/cu requires an older version that still has the package.
// With both in a program's module graph, go mod tidy fails with
// "ambiguous import", here and in every program that imports Foray and Arrow.
// Nothing of it is linked.

package driver

import _ "google.golang.org/genproto/protobuf/field_mask"
