// The kernels of advance with the functors that every device has: those that
// AutoBalance chooses from. laboratory/extra.cu has the others.
#include "operators/advance/entries.cuh"
#include "operators/advance/functors.cuh"

FORAY_PUSH(all, foray::All)
FORAY_PUSH(claim, foray::Claim)
FORAY_PULL(parents, foray::Parents)
