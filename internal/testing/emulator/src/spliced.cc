// This file reads modules that were made by splicing: PTX that begins with comments for
// the emulator, which say what skeleton it is, and what texts went into its holes. The
// rest is for a driver.
//
//   // foray spliced 1
//   // skeleton 0123456789abcdef       the hash of the skeleton's file
//   // block 3                         the parameter that holds the functors' blocks
//   // begin EDGE 0 16                 a hole, a functor's number, where its block begins
//   //| { ... }                        lines of its text
//   // end
#include <cstring>

#include "ptx.h"

namespace emu {

#define E4 Type::b32, Type::b32, Type::b32, Type::b64
const HoleForm hole_forms[kHoles] = {
    {"EDGE", {Type::b32, E4}, kEdges},
    {"GATHER32", {Type::b32, E4}, kGathers},
    {"GATHER64", {Type::b64, E4}, kGathers},
    {"APPLY32", {Type::b64, Type::b32, Type::b32, Type::b32}, kGathers},
    {"APPLY64", {Type::b64, Type::b32, Type::b64, Type::b32}, kGathers},
    {"VERTEX", {Type::b64, Type::b32, Type::b32}, kVertices},
    {"FOLD32", {Type::b32, Type::b32, Type::b32}, kGathers},
    {"FOLD64", {Type::b64, Type::b64, Type::b64}, kGathers},
    {"ZERO32", {Type::b32}, kGathers},
    {"ZERO64", {Type::b64}, kGathers},
    {"VFOLD", {Type::b64, Type::b64, Type::b64}, kVertices},
    {"VZERO", {Type::b64}, kVertices},
    {"GFOLD", {Type::b64, Type::b64, Type::b64}, kGathers},
    {"GZERO", {Type::b64}, kGathers},
    {"HIT", {Type::b32, E4}, kEdges},
    {"PURE", {Type::b32}, kGathers},
    {"WIDEN32", {Type::b32, Type::b32}, kGathers},
    {"WIDEN64", {Type::b64, Type::b32}, kGathers},
    {"NARROW32", {Type::b32, Type::b32}, kGathers},
    {"NARROW64", {Type::b32, Type::b64}, kGathers},
    {"KEY", {Type::b32, E4}, kGathers},
    {"SCORED", {Type::b32}, kGathers},
    {"SCORE32", {Type::b64, Type::b32, Type::b32, Type::b32, Type::b32}, kGathers},
    {"SCORE64", {Type::b64, Type::b32, Type::b64, Type::b32, Type::b32}, kGathers},
    {"APPLYKEY32", {Type::b64, Type::b32, Type::b32, Type::b32, Type::b32}, kGathers},
    {"APPLYKEY64", {Type::b64, Type::b32, Type::b64, Type::b32, Type::b32}, kGathers},
    {"HAS", {Type::b32}, kNoFunctors},
};

int Spliced::constant(u64 x) {
  auto [i, is_new] = known.emplace(x, -1 - int(constants.size()));
  if (is_new) constants.push_back(x);
  return i->second;
}

namespace {

constexpr u32 kFunctorsMost = 64;  // of a kind

struct Lines {
  const char* p;
  u32 number = 0;
  // take returns the next line, if it is a comment of ours.
  bool take(std::string& line) {
    if (p[0] != '/' || p[1] != '/') return false;
    const char* end = strchr(p, '\n');
    end = end ? end : p + strlen(p);
    line.assign(p, end);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    p = *end ? end + 1 : end;
    number++;
    return true;
  }
};

u64 number(const std::string& line, const char*& p, int base) {
  char* end;
  errno = 0;
  const u64 x = strtoull(p, &end, base);
  if (end == p || *p == '-' || *p == '+' || isspace(u8(*p)) || errno || (*end && *end != ' ')) throw "want a number: " + line.substr(0, 100);
  p = *end ? end + 1 : end;
  return x;
}

bool is(const std::string& line, const char* begin) { return line.compare(0, strlen(begin), begin) == 0; }

void begin(const std::string& line, Spliced& module, Lines& lines) {
  const char* p = line.c_str() + strlen("// begin ");
  const char* space = strchr(p, ' ');
  const std::string name(p, space ? size_t(space - p) : strlen(p));
  Text text{};
  text.hole = kHoles;
  for (u32 h = 0; h < kHoles; h++) {
    if (name == hole_forms[h].name) text.hole = Hole(h);
  }
  if (text.hole == kHoles || !space) throw "no hole is called so: " + line.substr(0, 100);
  p = space + 1;
  const u64 n = number(line, p, 10);
  text.base = number(line, p, 10);
  text.number = u32(n);
  if (*p) throw "more than a hole, a number and a base: " + line.substr(0, 100);
  if (n >= kFunctorsMost) throw "functor " + std::to_string(n) + " of " + name + ": there may be " + std::to_string(kFunctorsMost);
  if (text.base % 8 || text.base > 1 << 16) throw "a block at byte " + std::to_string(text.base);
  std::string row;
  for (;;) {
    if (!lines.take(row)) throw "// begin without // end: " + line.substr(0, 100);
    if (row == "// end") break;
    if (!is(row, "//|")) throw "want //| or // end: " + row.substr(0, 100);
    text.source += row.substr(row.size() > 3 && row[3] == ' ' ? 4 : 3) + "\n";
  }
  if (text.source.empty()) throw "no text between // begin and // end: " + line.substr(0, 100);
  auto& all = module.texts[text.hole];
  if (all.size() <= n) all.resize(n + 1);
  if (!all[n].source.empty()) throw "a second text of " + name + " " + std::to_string(n);
  try {
    parse_text(module, text);
  } catch (const std::string& what) {
    throw "text of " + name + " " + std::to_string(n) + ", " + what;
  }
  module.registers = std::max(module.registers, text.registers);
  all[n] = std::move(text);
}

}  // namespace

std::shared_ptr<const Spliced> parse_spliced(const char* module) {
  auto s = std::make_shared<Spliced>();
  Lines lines{module};
  std::string line;
  bool skeleton = false, block = false;
  if (!lines.take(line) || line != "// foray spliced 1") throw std::string("the emulator runs PTX only where it begins with // foray spliced 1");
  while (lines.take(line)) {
    const char* p = line.c_str();
    if (is(line, "// skeleton ")) {
      p += strlen("// skeleton ");
      if (skeleton || line.size() != strlen("// skeleton ") + 16) throw "want one skeleton, of 16 digits: " + line.substr(0, 100);
      s->skeleton = number(line, p, 16);
      skeleton = true;
    } else if (is(line, "// block ")) {
      p += strlen("// block ");
      const u64 n = number(line, p, 10);
      if (block || n > 255) throw "want one block, of a parameter's number: " + line.substr(0, 100);
      s->parameter = u32(n);
      block = true;
    } else if (is(line, "// begin ")) {
      begin(line, *s, lines);
    } else if (is(line, "//|") || is(line, "// end")) {
      throw "not behind // begin: " + line.substr(0, 100);
    } else {
      break;
    }
  }
  if (!skeleton) throw std::string("no // skeleton");
  for (auto& all : s->texts) {
    for (auto& t : all) {
      if (t.source.empty()) continue;
      for (const Step& step : t.steps) {
        if (step.act == Act::param && !block) throw std::string("a text reads $p, and there is no // block");
      }
    }
  }
  s->known.clear();
  return s;
}

}  // namespace emu
