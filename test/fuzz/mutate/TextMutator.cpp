//===- TextMutator.cpp - Changed IR text ----------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextMutator.h"

#include <cctype>
#include <cstring>

using namespace kiln;
using namespace kiln::fuzz;

namespace {
/// A piece of a text: a word, a number, a string or one sign.
struct Token {
  enum Kind { Word, Number, Value, Symbol, String, Sign } kind;
  size_t begin, end;
};
} // namespace

static bool isWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ||
         c == '$';
}

/// Cuts a text. In `4x16xf32` sizes and element type are tokens of their own.
static std::vector<Token> tokenize(const std::string &text) {
  std::vector<Token> tokens;
  for (size_t i = 0; i < text.size();) {
    char c = text[i];
    size_t begin = i;
    if (std::isspace(static_cast<unsigned char>(c))) {
      ++i;
      continue;
    }
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        if (text[i] == '\\')
          ++i;
      i = std::min(i + 1, text.size());
      tokens.push_back({Token::String, begin, i});
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      while (i < text.size() && (std::isdigit((unsigned char)text[i]) ||
                                 (text[i] == '.' && i + 1 < text.size() &&
                                  std::isdigit((unsigned char)text[i + 1]))))
        ++i;
      tokens.push_back({Token::Number, begin, i});
      // The sign between two sizes.
      if (i < text.size() && text[i] == 'x') {
        tokens.push_back({Token::Sign, i, i + 1});
        ++i;
      }
    } else if (c == '?' && i + 1 < text.size() && text[i + 1] == 'x') {
      tokens.push_back({Token::Number, i, i + 1});
      tokens.push_back({Token::Sign, i + 1, i + 2});
      i += 2;
    } else if (c == '%' || c == '@' || c == '#' || c == '!' || c == '^') {
      for (++i; i < text.size() && isWord(text[i]); ++i)
        ;
      tokens.push_back({c == '%' ? Token::Value : Token::Symbol, begin, i});
    } else if (isWord(c)) {
      while (i < text.size() && isWord(text[i]))
        ++i;
      tokens.push_back({Token::Word, begin, i});
    } else {
      ++i;
      tokens.push_back({Token::Sign, begin, i});
    }
  }
  return tokens;
}

namespace {
class Mutation {
public:
  Mutation(const std::string &text, const std::string &donor, Random &random)
      : text_(text), donor_(donor), random_(random), tokens_(tokenize(text)) {}

  std::string apply();

private:
  std::string at(const Token &token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }
  const Token *pick(Token::Kind kind);
  std::string replace(const Token &token, const std::string &with) const;
  std::string replaceAll(Token::Kind kind, const std::string &what,
                         const std::string &with) const;
  std::string number();
  std::string anotherOf(Token::Kind kind, const std::string &otherwise);
  std::string changeShape();
  std::string changeLines();
  std::string changeTokens();
  bool isElementType(const std::string &word) const;

  const std::string &text_, &donor_;
  Random &random_;
  std::vector<Token> tokens_;
};
} // namespace

static constexpr const char *kTypes[] = {
    "f32",  "f64",   "f16",   "bf16",         "i1",          "i8",
    "i16",  "i32",   "i64",   "ui8",          "si32",        "i4",
    "i65",  "i128",  "i1000", "index",        "none",        "f8E4M3FN",
      "f8E5M2", "f80",  "f128", "tf32",         "complex<f32>", "complex<f64>",
    "complex<i32>", "complex<f16>", "!llvm.ptr", "vector<4xf32>"};

static constexpr const char *kNumbers[] = {
    "0", "1", "2", "3", "5", "7", "8", "16", "31", "64", "100", "255", "1024",
    "65536", "2147483647", "2147483648", "4294967295", "4294967296",
    "1099511627776", "281474976710656", "4611686018427387904",
    "9223372036854775807", "9223372036854775808", "18446744073709551616",
    "-1", "-2", "-9223372036854775808", "0.0", "1.5", "1.0e+308", "?"};

bool Mutation::isElementType(const std::string &word) const {
  for (const char *type : kTypes)
    if (word == type)
      return true;
  return false;
}

const Token *Mutation::pick(Token::Kind kind) {
  size_t count = 0;
  for (const Token &token : tokens_)
    count += token.kind == kind;
  if (count == 0)
    return nullptr;
  size_t which = below(random_, count);
  for (const Token &token : tokens_)
    if (token.kind == kind && which-- == 0)
      return &token;
  return nullptr;
}

std::string Mutation::replace(const Token &token,
                              const std::string &with) const {
  return text_.substr(0, token.begin) + with + text_.substr(token.end);
}

std::string Mutation::replaceAll(Token::Kind kind, const std::string &what,
                                 const std::string &with) const {
  std::string out;
  size_t done = 0;
  for (const Token &token : tokens_) {
    if (token.kind != kind || at(token) != what)
      continue;
    out += text_.substr(done, token.begin - done) + with;
    done = token.end;
  }
  return out + text_.substr(done);
}

std::string Mutation::number() {
  return kNumbers[below(random_, std::size(kNumbers))];
}

/// Another token of a kind, from this text or from the donor.
std::string Mutation::anotherOf(Token::Kind kind,
                                const std::string &otherwise) {
  bool own = below(random_, 3) != 0;
  const std::string &source = own ? text_ : donor_;
  std::vector<Token> other = own ? tokens_ : tokenize(source);
  std::vector<const Token *> found;
  for (const Token &token : other)
    if (token.kind == kind)
      found.push_back(&token);
  if (found.empty())
    return otherwise;
  const Token &token = *found[below(random_, found.size())];
  return source.substr(token.begin, token.end - token.begin);
}

/// One dimension more, less, or unknown; in one type or in all that look so.
std::string Mutation::changeShape() {
  std::vector<std::pair<size_t, size_t>> shapes;
  for (const char *prefix : {"tensor<", "vector<", "memref<"})
    for (size_t i = text_.find(prefix); i != std::string::npos;
         i = text_.find(prefix, i + 1)) {
      size_t end = text_.find('>', i);
      if (end != std::string::npos)
        shapes.push_back({i + std::strlen(prefix), end});
    }
  if (shapes.empty())
    return text_;
  auto [begin, end] = shapes[below(random_, shapes.size())];
  std::string shape = text_.substr(begin, end - begin), changed = shape;
  size_t dim = shape.find('x');
  switch (below(random_, 4)) {
  case 0:
    changed = "?x" + shape;
    break;
  case 1:
    changed = number() + "x" + shape;
    break;
  case 2:
    changed = dim == std::string::npos ? "1x" + shape : shape.substr(dim + 1);
    break;
  default:
    changed = dim == std::string::npos ? "*x" + shape
                                       : "?" + shape.substr(dim);
  }
  if (below(random_, 2) == 0)
    return text_.substr(0, begin) + changed + text_.substr(end);
  std::string out = text_;
  std::string what = "<" + shape + ">", with = "<" + changed + ">";
  for (size_t i = out.find(what); i != std::string::npos;
       i = out.find(what, i + with.size()))
    out.replace(i, what.size(), with);
  return out;
}

static std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < text.size();) {
    size_t end = std::min(text.find('\n', i), text.size() - 1);
    lines.push_back(text.substr(i, end - i + 1));
    i = end + 1;
  }
  return lines;
}

std::string Mutation::changeLines() {
  std::vector<std::string> lines = linesOf(text_), others = linesOf(donor_);
  if (lines.empty())
    return text_;
  size_t i = below(random_, lines.size()), j = below(random_, lines.size());
  switch (below(random_, 4)) {
  case 0:
    lines.erase(lines.begin() + i);
    break;
  case 1:
    lines.insert(lines.begin() + j, lines[i]);
    break;
  case 2:
    std::swap(lines[i], lines[j]);
    break;
  default:
    if (!others.empty())
      lines[i] = others[below(random_, others.size())];
  }
  std::string out;
  for (const std::string &line : lines)
    out += line;
  return out;
}

std::string Mutation::changeTokens() {
  if (tokens_.empty())
    return text_;
  const Token &a = tokens_[below(random_, tokens_.size())];
  const Token &b = tokens_[below(random_, tokens_.size())];
  switch (below(random_, 3)) {
  case 0:
    return replace(a, "");
  case 1:
    return replace(a, at(a) + " " + at(a));
  default:
    return replace(a, at(b));
  }
}

std::string Mutation::apply() {
  switch (below(random_, 20)) {
  case 0:
  case 1:
  case 2:
    if (const Token *token = pick(Token::Number))
      return replace(*token, number());
    break;
  case 3:
  case 4:
  case 5:
  case 6:
    if (const Token *token = pick(Token::Number))
      return replaceAll(Token::Number, at(*token), number());
    break;
  case 7:
  case 8:
  case 9: {
    std::vector<const Token *> types;
    for (const Token &token : tokens_)
      if (token.kind == Token::Word && isElementType(at(token)))
        types.push_back(&token);
    if (types.empty())
      break;
    const Token &type = *types[below(random_, types.size())];
    std::string with = kTypes[below(random_, std::size(kTypes))];
    return below(random_, 3) == 0 ? replace(type, with)
                                  : replaceAll(Token::Word, at(type), with);
  }
  case 10:
  case 11:
    return changeShape();
  case 12:
  case 13:
    if (const Token *token = pick(Token::Value))
      return replace(*token, anotherOf(Token::Value, at(*token)));
    break;
  case 14:
  case 15:
    if (const Token *token = pick(Token::Word)) {
      std::string with = anotherOf(Token::Word, at(*token));
      return below(random_, 2) == 0 ? replace(*token, with)
                                    : replaceAll(Token::Word, at(*token), with);
    }
    break;
  case 16:
    if (const Token *token = pick(Token::Symbol))
      return replace(*token, anotherOf(Token::Symbol, at(*token)));
    break;
  case 17:
    if (const Token *token = pick(Token::String))
      return replace(*token, anotherOf(Token::String, "\"\""));
    break;
  case 18:
    return changeLines();
  default:
    break;
  }
  return changeTokens();
}

std::string fuzz::mutateText(const std::string &text, const std::string &donor,
                             Random &random) {
  std::string out = text;
  for (size_t changes = 1 + below(random, 3); changes > 0; --changes)
    out = Mutation(out, donor, random).apply();
  return out;
}
