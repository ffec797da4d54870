// This file holds what happens on streams, and how ranks come together.
#include <stdio.h>
#include <unistd.h>

#include <algorithm>

#include "comm.h"

namespace nccl {

int Comm::fail(int code, const std::string& why) {
  std::lock_guard<std::mutex> hold(mu);
  said = why;
  return code;
}

// attach brings the ranks together. async has the result.
void Comm::attach(const std::string& path) {
  std::string error;
  Wires* w = rank == 0 ? create(path, ranks, error) : open_wires(path, ranks, stop, error);
  if (!w) {
    async = stop ? kInternalError : fail(kInvalidUsage, error);
    return;
  }
  wires = w;
  w->gpu[rank] = u64(device);  // of the machine, which all ranks share
  if (w->attached[rank].exchange(1)) {
    async = fail(kInvalidUsage, "rank " + std::to_string(rank) + " is there twice");
    return;
  }
  w->here++;
  for (u32 waits = 0; w->here < ranks; pause(waits)) {
    if (stop) {
      if (rank == 0) unlink(path.c_str());
      async = kInternalError;
      return;
    }
  }
  if (rank == 0) unlink(path.c_str());
  for (u32 r = 0; r < ranks; r++) {
    if (r != rank && w->gpu[r] == w->gpu[rank]) {
      async = fail(kInvalidUsage, "Duplicate GPU detected : rank " + std::to_string(rank) + " and rank " + std::to_string(r));
      return;
    }
  }
  async = kSuccess;
}

// step moves some bytes of a part; it returns whether it moved any.
static bool step(Comm& c, Part& p, bool& stuck) {
  Ring& ring = p.out ? c.wires->ring(c.rank, p.peer) : c.wires->ring(p.peer, c.rank);
  constexpr size_t head = sizeof(Label);
  char* label = p.out ? (char*)&p.label : (char*)&p.came;
  const size_t before = p.done;
  if (p.done < head) {
    p.done += p.out ? ring.write(label + p.done, head - p.done) : ring.read(label + p.done, head - p.done);
    if (!p.out && p.done == head && !(p.came == p.label)) {
      fprintf(stderr, "emulated NCCL: rank %u waits for ever: from rank %u come %llu bytes (kind %u, op %u, type %u, call %u), not %llu (%u, %u, %u, %u)\n", c.rank, p.peer,
              (unsigned long long)p.came.bytes, p.came.kind, p.came.op, p.came.type, p.came.turn, (unsigned long long)p.label.bytes, p.label.kind, p.label.op, p.label.type, p.label.turn);
      stuck = true;
      return true;
    }
  }
  if (p.done >= head) {
    char* at = p.at + (p.done - head);
    const size_t left = p.label.bytes - (p.done - head);
    p.done += p.out ? ring.write(at, left) : ring.read(at, left);
  }
  return p.done != before;
}

static std::atomic<u32>& link(Comm& c, const Part& p) {
  return p.out ? c.wires->links[p.label.kind][c.rank][p.peer] : c.wires->links[p.label.kind][p.peer][c.rank];
}

void Unit::offer() {
  for (const Part& p : parts) link(*comm, p) |= p.out ? 1 : 2;
}

bool Unit::connected() {
  for (const Part& p : parts) {
    if (link(*comm, p) != 3) return false;
  }
  return true;
}

void Unit::run() {
  Comm& c = *comm;
  c.busy++;
  u32 waits = 0;
  while (c.served != ticket && !c.stop) pause(waits);
  bool stuck = broken;
  while (!c.stop) {
    bool moved = false, all = true;
    u32 busy[2] = {0, 0};  // ranks with an earlier message that isn't through
    for (Part& p : parts) {
      if (p.done == sizeof(Label) + p.label.bytes) continue;
      all = false;
      if (busy[p.out] >> p.peer & 1 || stuck) continue;
      moved |= step(c, p, stuck);
      if (p.done != sizeof(Label) + p.label.bytes) busy[p.out] |= 1u << p.peer;
    }
    if (all) break;
    if (moved) waits = 0;
    if (!moved) pause(waits);
  }
  if (!c.stop) {
    for (auto& f : finish) f();
  }
  c.served = ticket + 1;
  c.busy--;
}

}  // namespace nccl
