// This file holds what becomes of the PTX of functors: the texts of a module that was
// made by splicing, parsed when it is loaded, and run at the holes of its skeleton.
//
// A register is 64 bits wide here, whatever its type; a value of 32 bits has zeros above.
// A thread's registers are in this order: the module's constants, to which texts refer by
// negative numbers, then a text's placeholders $0 to $4, then the registers that it declares.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "emu.h"

namespace emu {

// Type is what a register holds or an instruction wants: bits go with all of their width.
enum class Type : u8 { none, pred, b32, i32, f32, b64, i64, f64 };
inline u32 width(Type t) { return t == Type::pred ? 1 : t >= Type::b64 ? 64 : 32; }
inline bool fits(Type have, Type want) {
  return have == want || (width(have) == width(want) && (have == Type::b32 || have == Type::b64 || want == Type::b32 || want == Type::b64));
}

enum class Act : u8 {
  pure,    // d = fn(a, b, c)
  compare, // d = fn(a, b), and with d2 the opposite; combined with the predicate c
  pack,    // d = {a, b}
  unpack,  // {d, d2} = a
  param,   // d = the parameter's bytes at offset
  thread,  // d = the thread's number in the block; with an offset, the block's
  load, store,  // at a + offset
  load_local, store_local,  // in the text's arrays
  atomic,  // d (or none) = fn applied to the value at a + offset, and b
  swap,    // compare and swap: b, c
  branch,  // to target
  fence,
};

// How a load or store orders itself: those after plain are known to wait for other threads.
enum class Order : u8 { plain, strong };
enum class Combine : u8 { none, both, either, one };  // .and, .or, .xor

using Function = u64 (*)(u64 a, u64 b, u64 c);

// Form is an instruction as it is written, and what it takes.
struct Form {
  Act act;
  Function fn;
  Type d, a, b, c;  // none: it has no such operand
  u8 bytes;         // of memory
  bool sign;        // a load extends it
  Order order;
  Combine combine;
};
const Form* find_form(const std::string& name);

// Step is an instruction of a text.
struct Step {
  Act act;
  u8 bytes;
  bool sign, unless, negate;  // unless: runs if the guard is false; negate: of c, in compare
  Order order;
  Combine combine;
  Function fn;
  int guard, d, d2, a, b, c;  // registers; kNowhere: none
  u32 target, line;           // line: of the text, from 1 on
  int64_t offset;
};
constexpr int kNowhere = 1 << 30;

// Text is what goes into a hole.
struct Text {
  Hole hole;
  u32 number;
  u64 base;  // of the functor's block in the parameter
  std::vector<Step> steps;
  std::string source;
  u32 registers = 0;  // with the placeholders
  u32 locals = 0;     // bytes of its arrays in local memory
};
constexpr u64 kLocalBase = u64(1) << 40;  // the address of the first array: no address of other memory
constexpr u32 kLocalsMost = 1024;

// Spliced is a module made by splicing.
struct Spliced {
  u64 skeleton = 0;   // the hash
  u32 parameter = 0;  // that holds the functors' blocks
  std::vector<u64> constants;
  std::vector<Text> texts[kHoles];  // by number, those that there aren't have no source
  u32 registers = 0;                // the most that a text has
  std::map<u64, int> known;         // places of constants

  int constant(u64 x);
};

// What a hole is called, without FORAY_, the types of $0, $1 and so on, up to none, and
// the functors that it belongs to.
struct HoleForm {
  const char* name;
  Type types[6];
  Functors functors;
};
extern const HoleForm hole_forms[kHoles];

// parse_spliced reads a module. It throws a std::string that describes what is wrong with it.
std::shared_ptr<const Spliced> parse_spliced(const char* module);
// parse_text fills in the steps of a text from its source. It throws as well.
void parse_text(Spliced& module, Text& text);

std::string where_in(const Text& text, u32 step);

}  // namespace emu
