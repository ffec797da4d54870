// This file parses the text of a functor: PTX in one pair of braces, with its own registers
// and labels, and placeholders for the kernel's registers.
#include "ptx.h"

#include <cstring>
#include <unordered_map>

namespace emu {
namespace {

constexpr u32 kPlaces = 5;  // $0 to $4
constexpr u32 kRegistersMost = 1 << 16, kStepsMost = 1 << 20;

// Token is a name (with dots, as of instructions), a number, or a sign.
struct Token {
  enum { end, name, number, placeholder, sign } kind;
  std::string text;
  u32 line;
};

struct Register {
  int at;
  Type type;
};

struct Parser {
  Spliced& module;
  Text& text;
  const HoleForm& hole;
  const char* p;
  u32 line = 1;
  Token token{Token::end, "", 1};
  std::vector<std::unordered_map<std::string, Register>> scopes;
  std::vector<std::string> names;  // of registers behind the placeholders
  std::unordered_map<std::string, u32> labels;
  std::unordered_map<std::string, u64> locals;  // addresses of arrays
  struct Jump {
    size_t step;
    std::string label;
    u32 line;
  };
  std::vector<Jump> jumps;

  Parser(Spliced& m, Text& t) : module(m), text(t), hole(hole_forms[t.hole]), p(t.source.c_str()) {}

  [[noreturn]] void fail(const std::string& what, u32 at) { throw std::string("line " + std::to_string(at) + ": " + what); }
  [[noreturn]] void fail(const std::string& what) { fail(what, token.line); }

  static bool begins_name(char c) { return isalpha(u8(c)) || c == '_' || c == '%' || c == '.'; }
  static bool in_name(char c) { return isalnum(u8(c)) || c == '_' || c == '$' || c == '.' || c == '%'; }

  void next() {
    for (;;) {
      while (*p && isspace(u8(*p))) line += *p++ == '\n';
      if (p[0] == '/' && p[1] == '/') {
        while (*p && *p != '\n') p++;
      } else if (p[0] == '/' && p[1] == '*') {
        const u32 began = line;
        for (p += 2; *p && !(p[0] == '*' && p[1] == '/'); p++) line += *p == '\n';
        if (!*p) fail("the comment has no end", began);
        p += 2;
      } else {
        break;
      }
    }
    const char* from = p;
    token.line = line;
    if (!*p) {
      token.kind = Token::end, token.text = "the end of the text";
      return;
    }
    if (*p == '$') {
      for (p++; isalnum(u8(*p)) || *p == '_';) p++;
      token.kind = Token::placeholder;
    } else if (isdigit(u8(*p))) {
      while (isalnum(u8(*p)) || *p == '.') p++;
      token.kind = Token::number;
    } else if (begins_name(*p)) {
      while (in_name(*p)) p++;
      token.kind = Token::name;
    } else {
      p++;
      token.kind = Token::sign;
    }
    token.text.assign(from, p);
  }

  bool is(const char* sign) const { return token.kind == Token::sign && token.text == sign; }
  bool take(const char* sign) {
    if (!is(sign)) return false;
    next();
    return true;
  }
  void want(const char* sign) {
    if (!take(sign)) fail("want " + std::string(sign) + ", not " + quoted());
  }
  std::string quoted() const { return token.kind == Token::end ? token.text : "\"" + token.text.substr(0, 60) + "\""; }

  // declare reads what is behind .reg: .type NAME, NAME<n>;
  void declare() {
    static const std::pair<const char*, Type> types[] = {
        {".pred", Type::pred}, {".b32", Type::b32}, {".u32", Type::i32}, {".s32", Type::i32}, {".f32", Type::f32},
        {".b64", Type::b64}, {".u64", Type::i64}, {".s64", Type::i64}, {".f64", Type::f64}};
    Type type = Type::none;
    for (auto& [name, t] : types) {
      if (token.text == name) type = t;
    }
    if (type == Type::none) fail("registers of the type " + quoted() + " aren't emulated");
    next();
    do {
      if (token.kind != Token::name || token.text.find('.') != std::string::npos) fail("want the name of a register, not " + quoted());
      const std::string name = token.text;
      next();
      if (!take("<")) {
        declare(name, type);
        continue;
      }
      const u64 n = plain_number();
      want(">");
      if (n > kRegistersMost) fail("more registers than " + std::to_string(kRegistersMost));
      for (u64 i = 0; i < n; i++) declare(name + std::to_string(i), type);
    } while (take(","));
    want(";");
  }
  void declare(const std::string& name, Type type) {
    if (text.registers == kRegistersMost) fail("more registers than " + std::to_string(kRegistersMost));
    if (!scopes.back().emplace(name, Register{int(text.registers), type}).second) fail("register " + name + " is declared twice");
    names.push_back(name);
    text.registers++;
  }

  // declare_local reads what is behind .local: .align 8 .b8 NAME[n];
  void declare_local() {
    if (token.text != ".align") fail("want .align, not " + quoted());
    next();
    const u64 align = plain_number();
    if (token.text != ".b8" || align == 0 || align > 8 || align & (align - 1)) fail("arrays of other forms than .local .align 8 .b8 NAME[n] aren't emulated");
    next();
    if (token.kind != Token::name) fail("want the name of an array, not " + quoted());
    const std::string name = token.text;
    next();
    want("[");
    const u64 n = plain_number();
    want("]");
    want(";");
    if (n > kLocalsMost || text.locals + n + 7 > kLocalsMost) fail("more local memory than " + std::to_string(kLocalsMost) + " bytes");
    text.locals = u32(text.locals + 7) / 8 * 8;
    if (!locals.emplace(name, kLocalBase + text.locals).second) fail("array " + name + " is declared twice");
    text.locals += u32(n);
  }

  u64 plain_number() {
    if (token.kind != Token::number) fail("want a number, not " + quoted());
    const char* from = token.text.c_str();
    char* to;
    errno = 0;
    u64 x;
    if (from[0] == '0' && (from[1] == 'b' || from[1] == 'B')) {
      x = strtoull(from + 2, &to, 2);
      if (to == from + 2) to = const_cast<char*>(from);
    } else {
      x = strtoull(from, &to, 0);
    }
    if (*to == 'U') to++;
    if (errno || *to || to == from) fail(quoted() + " is no number, or too large");
    next();
    return x;
  }

  // literal returns the place of a constant.
  int literal(Type want_type) {
    const bool minus = take("-");
    const std::string t = token.text;
    const bool f = t.size() > 1 && t[0] == '0' && (t[1] == 'f' || t[1] == 'F'), d = t.size() > 1 && t[0] == '0' && (t[1] == 'd' || t[1] == 'D');
    u64 x;
    if (token.kind == Token::number && (f || d)) {
      const Type have = f ? Type::f32 : Type::f64;
      char* end;
      x = strtoull(t.c_str() + 2, &end, 16);
      if (minus || t.size() != (f ? 10 : 18) || *end) fail(quoted() + " is no number");
      if (!fits(have, want_type)) fail(quoted() + " is of another type than the instruction wants");
      next();
      return module.constant(x);
    }
    x = plain_number();
    if (want_type == Type::f32 || want_type == Type::f64) fail("\"" + t + "\" is an integer where a float is wanted; write 0f or 0d and its bits");
    if (want_type == Type::pred) return module.constant(x != 0);
    if (minus) x = 0 - x;
    if (width(want_type) == 32) {
      if (minus ? int64_t(x) < INT32_MIN || int64_t(x) > 0 : x > UINT32_MAX) fail("\"" + t + "\" doesn't fit into 32 bits");
      x = u32(x);
    } else if (minus && int64_t(x) > 0) {
      fail("\"" + t + "\" doesn't fit into 64 bits");
    }
    return module.constant(x);
  }

  Register named() {
    if (token.kind == Token::placeholder) {
      const std::string& t = token.text;
      if (t.size() != 2 || t[1] < '0' || t[1] >= char('0' + kPlaces) || hole.types[t[1] - '0'] == Type::none) fail(hole.name + std::string(" has no placeholder ") + quoted());
      return {t[1] - '0', hole.types[t[1] - '0']};
    }
    if (token.kind != Token::name) fail("want a register, not " + quoted());
    for (size_t i = scopes.size(); i-- > 0;) {
      auto r = scopes[i].find(token.text);
      if (r != scopes[i].end()) return r->second;
    }
    fail(quoted() + " isn't declared");
  }

  int use(Type type) {
    if (token.kind == Token::number || is("-")) return literal(type);
    if (auto l = locals.find(token.text); token.kind == Token::name && l != locals.end() && width(type) == 64) {
      next();
      return module.constant(l->second);
    }
    const Register r = named();
    if (!fits(r.type, type)) fail(quoted() + " is of another type than the instruction wants");
    next();
    return r.at;
  }
  int set(Type type) {
    if (token.kind == Token::name && token.text == "_") {
      next();
      return kNowhere;
    }
    const Register r = named();
    if (!fits(r.type, type)) fail(quoted() + " is of another type than the instruction assigns");
    if (r.at > 0 && u32(r.at) < kPlaces) fail(quoted() + " is an input, and can't be assigned");
    next();
    return r.at;
  }

  // address reads [register+N], or [$p+N] in parameters.
  void address(Step& s, bool parameter) {
    want("[");
    if (parameter) {
      if (token.text != "$p") fail("want $p, not " + quoted());
      next();
    } else if (token.kind == Token::number) {
      fail("an address that is a number");
    } else {
      s.a = use(Type::i64);
    }
    if (take("+")) {
      const bool minus = take("-");
      const u64 x = plain_number();
      if (x > INT32_MAX) fail("an offset that is too large");
      s.offset = minus ? -int64_t(x) : int64_t(x);
    }
    if (parameter && (s.offset < 0 || s.offset % s.bytes)) fail("$p+" + std::to_string(s.offset) + " isn't a multiple of " + std::to_string(s.bytes));
    want("]");
  }

  void instruction() {
    Step s{};
    s.line = token.line, s.guard = s.d = s.d2 = s.a = s.b = s.c = kNowhere;
    if (take("@")) {
      s.unless = take("!");
      s.guard = use(Type::pred);
    }
    if (token.kind != Token::name) fail("want an instruction, not " + quoted());
    const std::string name = token.text;
    const Form* found = find_form(name);
    if (!found) fail("the instruction " + quoted() + " isn't emulated");
    const Form& f = *found;
    next();
    s.act = f.act, s.fn = f.fn, s.bytes = f.bytes, s.sign = f.sign, s.order = f.order, s.combine = f.combine;
    switch (f.act) {
      case Act::fence:
        break;
      case Act::branch:
        if (token.kind != Token::name) fail("want a label, not " + quoted());
        jumps.push_back({text.steps.size(), token.text, token.line});
        next();
        break;
      case Act::param:
        s.d = set(f.d);
        want(",");
        address(s, true);
        break;
      case Act::load:
      case Act::load_local:
        s.d = set(f.d);
        want(",");
        address(s, false);
        break;
      case Act::store:
      case Act::store_local:
        address(s, false);
        want(",");
        s.b = use(f.b);
        break;
      case Act::atomic:
      case Act::swap:
        if (f.d != Type::none) {
          s.d = set(f.d);
          want(",");
        }
        address(s, false);
        want(",");
        s.b = use(f.b);
        if (f.act == Act::swap) {
          want(",");
          s.c = use(f.c);
        }
        break;
      case Act::compare:
        s.d = set(f.d);
        if (take("|")) s.d2 = set(f.d);
        want(",");
        s.a = use(f.a);
        want(",");
        s.b = use(f.b);
        if (f.c != Type::none) {
          want(",");
          s.negate = take("!");
          s.c = use(f.c);
        }
        break;
      default:
        if (name == "mov.b64" && take("{")) {  // {lo, hi} = a
          s.act = Act::unpack;
          s.d = set(Type::b32);
          want(",");
          s.d2 = set(Type::b32);
          want("}");
          want(",");
          s.a = use(Type::b64);
          break;
        }
        s.d = set(f.d);
        want(",");
        if (name == "mov.b64" && take("{")) {
          s.act = Act::pack;
          s.a = use(Type::b32);
          want(",");
          s.b = use(Type::b32);
          want("}");
          break;
        }
        if (name == "mov.u32" && (token.text == "%tid.x" || token.text == "%ctaid.x")) {
          s.act = Act::thread;
          s.offset = token.text == "%ctaid.x";
          next();
          break;
        }
        s.a = use(f.a);
        for (auto [type, to] : {std::pair<Type, int*>{f.b, &s.b}, {f.c, &s.c}}) {
          if (type == Type::none) continue;
          want(",");
          *to = use(type);
        }
    }
    if (!is(";")) fail("want ; behind " + name + ", not " + quoted());
    next();
    if (text.steps.size() == kStepsMost) fail("more instructions than " + std::to_string(kStepsMost));
    text.steps.push_back(s);
  }

  // block reads what is between braces.
  void block() {
    want("{");
    scopes.emplace_back();
    if (scopes.size() > 100) fail("more than 100 blocks in one another");
    while (!is("}")) {
      if (is("{")) {
        block();
      } else if (token.kind == Token::end) {
        fail("want }, not " + quoted());
      } else if (token.kind == Token::name && token.text == ".reg") {
        next();
        declare();
      } else if (token.kind == Token::name && token.text == ".local") {
        next();
        declare_local();
      } else if (token.kind == Token::name && *p == ':') {
        if (!labels.emplace(token.text, u32(text.steps.size())).second) fail("label " + token.text + " is there twice");
        next();
        next();
      } else {
        instruction();
      }
    }
    next();
    scopes.pop_back();
  }

  void run() {
    text.registers = kPlaces;
    next();
    block();
    if (token.kind != Token::end) fail("want the end of the text, not " + quoted());
    for (auto& j : jumps) {
      auto l = labels.find(j.label);
      if (l == labels.end()) fail("there is no label " + j.label, j.line);
      text.steps[j.step].target = l->second;
    }
    Step end{};
    end.act = Act::fence, end.guard = end.d = end.d2 = end.a = end.b = end.c = kNowhere, end.line = line;
    flow(end);
    // What an instruction doesn't have it doesn't look at.
    for (Step& s : text.steps) {
      if (s.act != Act::pure) continue;
      for (int* r : {&s.b, &s.c}) {
        if (*r == kNowhere) *r = 0;
      }
    }
  }

  // flow finds registers that are read though they may not be set, and paths that leave the
  // result unset. A step with a guard counts as setting what it sets: its opposite is
  // mostly beside it.
  void flow(const Step& end) {
    const size_t n = text.steps.size();
    std::vector<char> first(n + 1);  // steps that begin a run of steps
    first[0] = first[n] = 1;
    bool result = false;
    for (size_t i = 0; i < n; i++) {
      const Step& s = text.steps[i];
      if (s.act == Act::branch) first[s.target] = first[i + 1] = 1;
      for (int r : {s.d, s.d2, s.a, s.b, s.c}) result |= r == 0;
    }
    const size_t words = (text.registers + 63) / 64;
    std::vector<u32> number(n + 1);
    std::vector<size_t> begins;
    for (size_t i = 0; i <= n; i++) {
      if (first[i]) begins.push_back(i);
      number[i] = u32(begins.size() - 1);
    }
    if (begins.size() * words > size_t(1) << 25) fail("too many registers and labels: the emulator can't check them");
    std::vector<u64> in(begins.size() * words, ~u64(0));  // set on all ways there that are known
    std::vector<char> seen(begins.size());
    std::vector<u32> todo{0};
    for (size_t w = 0; w < words; w++) in[w] = 0;
    seen[0] = 1;
    for (u32 i = 1; i < kPlaces; i++) in[0] |= u64(1) << i;
    std::vector<u64> now(words);
    auto reach = [&](size_t step) {
      const u32 b = number[step];
      bool changed = !seen[b];
      for (size_t w = 0; w < words; w++) {
        const u64 x = in[b * words + w] & now[w];
        changed |= x != in[b * words + w];
        in[b * words + w] = x;
      }
      if (changed && (seen[b] != 2)) todo.push_back(b), seen[b] = 2;
    };
    auto walk = [&](u32 b, bool check) {
      memcpy(now.data(), &in[b * words], words * 8);
      for (size_t i = begins[b]; i < n; i++) {
        if (i > begins[b] && first[i]) return reach(i);
        const Step& s = text.steps[i];
        if (check) {
          for (int r : {s.guard, s.a, s.b, s.c}) {
            if (r >= 0 && r != kNowhere && !(now[size_t(r) / 64] >> (r % 64) & 1)) fail("reads " + name_of(r) + ", which may not be set before", s.line);
          }
        }
        for (int r : {s.d, s.d2}) {
          if (r >= 0 && r != kNowhere) now[size_t(r) / 64] |= u64(1) << (r % 64);
        }
        if (s.act != Act::branch) continue;
        reach(s.target);
        if (s.guard == kNowhere) return;
      }
      if (b != number[n]) reach(n);
    };
    while (!todo.empty()) {
      const u32 b = todo.back();
      todo.pop_back();
      seen[b] = 1;
      walk(b, false);
    }
    for (u32 b = 0; b < begins.size(); b++) {
      if (seen[b]) walk(b, true);
    }
    if (result && seen[number[n]] && !(in[number[n] * words] & 1)) fail("a path leaves $0 unset", end.line);
  }

  std::string name_of(int r) const {
    if (u32(r) < kPlaces) return "$" + std::to_string(r);
    return names[size_t(r) - kPlaces];
  }
};

}  // namespace

void parse_text(Spliced& module, Text& text) { Parser(module, text).run(); }

}  // namespace emu
