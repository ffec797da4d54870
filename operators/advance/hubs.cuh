// This file holds the strategy that puts long rows aside (FlexBFS: Liu et al., PPoPP 2012).
#pragma once

#include "operators/advance/push.cuh"

namespace foray {

// push_split expands the frontier with a thread a row, but puts rows of at
// least a warp's lanes aside for a second kernel, whose frontier hubs is
// (FlexBFS: Liu et al., PPoPP 2012).
template <class Offset, class F>
__device__ void push_split(const Csr<Offset>& g, const In<Offset>& in, F& f, Emitter<Offset>& out, Emitter<Offset>& hubs, PushShared<Offset, F>& sh, Offset least) {
  Visit<Offset, F> body{g, f, sh.functor, out};
  for (u64 base = 0; base < in.count; base += dealt()) {
    const u64 i = deal(base);
    const bool have = i < in.count;
    const u32 v = have ? in.item(u32(i)) : 0;
    Row<Offset> r = row_of(g, have, v);
    const bool hub = r.size() >= least;
    hubs.put(hub, v);
    if (hub) r.begin = r.end;
    gather_thread(r, body);
    out.relieve();
    hubs.relieve();
  }
}

}  // namespace foray
