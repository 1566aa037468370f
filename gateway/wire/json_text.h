#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

/// JSON written straight into a string: what the gateway sends is built once,
/// without a tree, and JSON that it was given passes through byte for byte.
namespace toolway::gateway::wire {

/// Appends `text` as a JSON string. `text` is UTF-8 (checked where it came in).
void append_string(std::string& out, std::string_view text);

/// Appends JSON text as it is, on one line (a line break in JSON is only
/// ever white space). Nothing: null.
void append_json(std::string& out, std::string_view json);

/// RFC 3339 in UTC with microseconds. A year that RFC 3339 cannot write becomes 0000 or 9999.
std::string time_text(WallTime time);

/// The text of a member's value in the text of an object, which is known to be
/// valid JSON. Nothing when no key is spelled exactly like it. Of repeated keys
/// the last one counts, as in the parser.
std::optional<std::string_view> member_text(std::string_view object, std::string_view name);

/// The texts of an array's elements, in the same way.
std::vector<std::string_view> element_texts(std::string_view array);

/// Writes one object, member by member.
class ObjectText {
 public:
  explicit ObjectText(std::string& out) : out_(out) { out_.push_back('{'); }
  void text(std::string_view key, std::string_view value);
  /// null when empty
  void text_or_null(std::string_view key, std::string_view value);
  void json(std::string_view key, std::string_view value);
  void number(std::string_view key, std::uint64_t value);
  void real(std::string_view key, double value);  ///< null when not finite
  void boolean(std::string_view key, bool value);
  void null(std::string_view key);
  /// null when the time is 0
  void time_us(std::string_view key, std::int64_t value);
  /// The members of another object, as its text has them; it has at least one.
  void members(std::string_view object);
  /// Writes the key; the caller appends the value.
  void begin(std::string_view key);
  void end() { out_.push_back('}'); }

 private:
  std::string& out_;
  bool first_ = true;
};

/// Writes one array, element by element: `next`, then the element's own text. For what pauses
/// between elements; `write_list` is the same in one step.
class ListText {
 public:
  explicit ListText(std::string& out) : out_(out) { out_.push_back('['); }
  void next() {
    if (!first_) out_.push_back(',');
    first_ = false;
  }
  void end() { out_.push_back(']'); }

 private:
  std::string& out_;
  bool first_ = true;
};

/// Writes all of `elements`; `write(out, element)` appends one.
template <typename Elements, typename Write>
void write_list(std::string& out, const Elements& elements, Write write) {
  ListText list(out);
  for (const auto& element : elements) {
    list.next();
    write(out, element);
  }
  list.end();
}

}  // namespace toolway::gateway::wire
