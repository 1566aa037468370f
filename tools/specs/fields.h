#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tools/specs/located.h"
#include "tools/specs/mistakes.h"

namespace toolway::tools {

/// One member of a mapping, under the name by which the reader asks for it.
struct NamedMember {
  std::string name;     ///< `dangerous`
  std::string written;  ///< as the text has it: `is_dangerous`
  int line = 0;
  const Located* value = nullptr;
};

template <typename T>
struct Range {
  T least = std::numeric_limits<T>::lowest();
  T most = std::numeric_limits<T>::max();
};

/// Reads the members of one mapping into typed values; remembers what was asked for, to
/// refuse everything else. What is not there, or is wrong and reported, leaves its target as it
/// was.
class Fields {
 public:
  /// `what`: for messages: "a tool", "`limits`". The tree must outlive it.
  Fields(const Located& map, std::string what, Mistakes& mistakes);
  Fields(std::vector<NamedMember> fields, int line, std::string what, Mistakes& mistakes);

  /// Null: not there.
  const NamedMember* find(std::string_view name);
  void text(std::string_view name, std::string& to);
  /// Reports it when it is not there.
  void required_text(std::string_view name, std::string& to);
  void flag(std::string_view name, bool& to);
  void texts(std::string_view name, std::vector<std::string>& to);
  void milliseconds(std::string_view name, std::chrono::milliseconds& to,
                    Range<std::int64_t> range);
  /// A whole number; `unit`: "bytes", or nothing.
  template <typename T>
  void whole(std::string_view name, T& to, Range<T> range, std::string_view unit = {});
  void number(std::string_view name, double& to, Range<double> range);
  /// The JSON of whatever is there.
  void json(std::string_view name, OrderedJson& to);
  /// The members of a mapping inside; null: not there, or no mapping (reported).
  const Located* map(std::string_view name);

  /// Reports every member that was not asked for.
  void nothing_else();

  int line() const { return line_; }
  /// Of a field, or of the mapping when it is not there.
  int line_of(std::string_view name) const;
  Mistakes& mistakes() { return mistakes_; }

 private:
  const NamedMember* look(std::string_view name) const;
  void must(const NamedMember& field, std::string_view what);
  template <typename T>
  bool read_whole(const NamedMember& field, T& to) const;

  std::vector<NamedMember> fields_;
  const int line_;
  const std::string what_;
  std::vector<std::string> known_;
  Mistakes& mistakes_;
};

}  // namespace toolway::tools
