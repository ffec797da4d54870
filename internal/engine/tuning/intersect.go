package tuning

// IntersectBy is how package intersect intersects two rows: "auto", by their lengths, or always by "merge", "search" or
// "table".
var IntersectBy = "auto"
