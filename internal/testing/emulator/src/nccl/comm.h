// This file holds the emulated communicator. Numbers are from NCCL's documentation.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "wires.h"

namespace nccl {

enum Result { kSuccess, kCudaError, kSystemError, kInternalError, kInvalidArgument, kInvalidUsage, kRemoteError, kInProgress };
enum Kind : u32 { kReduce = 1, kGather, kMessage };

// Label precedes the bytes of each message. A receiver of another label waits for ever.
struct Label {
  u32 kind, op, type, turn;
  u64 bytes;

  bool operator==(const Label& o) const { return kind == o.kind && op == o.op && type == o.type && turn == o.turn && bytes == o.bytes; }
};

// Part is a message to a rank or from one.
struct Part {
  bool out;
  u32 peer;
  char* at;
  Label label;
  size_t done = 0;  // of the label and the bytes
  Label came = {};
};

struct Comm {
  u32 rank, ranks;
  int device;
  bool blocking;
  void* context;
  Wires* wires = nullptr;
  std::atomic<bool> stop{false};
  std::atomic<int> async{kSuccess};
  std::atomic<int> busy{0};             // threads and kernels that use it now
  std::atomic<u64> tickets{0}, served{0};  // of groups; they run in order, whatever their streams
  u32 turn = 0;                         // of collective calls
  std::mutex mu;
  std::string said;

  int fail(int code, const std::string& why);
  void attach(const std::string& path);
  ~Comm() {
    if (wires) close_wires(wires);
  }
};

// Unit is what a group has for a communicator and a stream: a kernel.
struct Unit {
  std::shared_ptr<Comm> comm;
  void* stream;
  u64 ticket;
  std::vector<Part> parts;
  std::vector<std::vector<char>> rooms;
  std::vector<std::function<void()>> finish;
  bool broken = false;  // it makes no progress, as after an error on the network

  // First calls connect: they wait, within the call, for those of the other ranks. offer says that
  // this rank is there.
  void offer();
  bool connected();
  void run();
};

}  // namespace nccl
