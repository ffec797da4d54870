// This file holds the number that pieces are cut by.

package looks

// piece is how many items, of 1 to 100 ns, are done between two looks at the context, which take some 10 ns each:
// 3 ms at most.
const piece = 1 << 15
