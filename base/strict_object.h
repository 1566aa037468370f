#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/json_pointer.h"
#include "base/mistake.h"
#include "base/nearest_names.h"
#include "base/utf8.h"

namespace toolway {

template <typename T>
struct Range {
  T least = std::numeric_limits<T>::lowest();
  T most = std::numeric_limits<T>::max();
};

/// "from 0 to 5", "at least 1".
template <typename T>
std::string in_words(Range<T> range) {
  if (range.most == std::numeric_limits<T>::max()) return fmt::format("at least {}", range.least);
  return fmt::format("from {} to {}", range.least, range.most);
}

/// One member of an object, under the name by which its reader asks for it.
template <typename Tree>
struct StrictMember {
  std::string name;     ///< `dangerous`
  std::string written;  ///< as the text has it: `is_dangerous`
  int line = 0;         ///< 0: not known
  const Tree* value = nullptr;
};

/// What a strict reader must know of a kind of tree: this is nlohmann's, specialise it for another.
template <typename Tree>
struct StrictTree {
  static bool is_object(const Tree& value) { return value.is_object(); }
  static bool is_list(const Tree& value) { return value.is_array(); }
  /// The value as JSON when it is neither object nor list; otherwise anything that is not a scalar,
  /// or null.
  static const Tree& scalar(const Tree& value) { return value; }
  static int line(const Tree&) { return 0; }
  /// Of an object, or the items of a list.
  static std::vector<StrictMember<Tree>> members(const Tree& value) {
    std::vector<StrictMember<Tree>> made;
    made.reserve(value.size());
    for (const auto& item : value.items())
      made.push_back({item.key(), item.key(), 0, &item.value()});
    return made;
  }
};

/// Reads the members of one object into typed values, and collects all that is wrong with it. It
/// remembers what was asked for, to refuse everything else. What is not there, or is wrong and
/// reported, leaves its target as it was, or reads as null. The tree must outlive it. One thread.
template <typename Tree>
class StrictObject {
 public:
  using Member = StrictMember<Tree>;

  /// Of a text with lines. `what`: for messages: "a tool", "`limits`".
  StrictObject(const Tree& object, std::string what, Mistakes& mistakes)
      : StrictObject(StrictTree<Tree>::members(object), StrictTree<Tree>::line(object),
                     std::move(what), mistakes) {}
  StrictObject(std::vector<Member> members, int line, std::string what, Mistakes& mistakes)
      : StrictObject(Form::kText, {}, std::move(what), mistakes) {
    members_ = std::move(members);
    line_ = line;
  }
  /// Of a configuration at the JSON Pointer `place`: null is the same as nothing, a text is not
  /// empty. Anything but an object is a mistake, and has no members.
  StrictObject(const Tree& object, std::string what, Mistakes& mistakes, std::string place)
      : StrictObject(Form::kConfiguration, std::move(place), std::move(what), mistakes) {
    if (!open(object)) wrong_whole(what_ + " must be an object");
  }
  /// Of a request at the JSON Pointer `place` of its body: mistakes are told as a schema's are.
  /// Anything but an object is a mistake, and has no members.
  StrictObject(const Tree& object, Mistakes& mistakes, std::string place = {})
      : StrictObject(Form::kRequest, std::move(place), {}, mistakes) {
    if (!open(object))
      wrong_whole(fmt::format("expected object, found {}", type_of(object)), "type");
  }

  /// Null: not there.
  const Member* find(std::string_view name) {
    if (std::find(known_.begin(), known_.end(), name) == known_.end()) known_.emplace_back(name);
    return look(name);
  }
  /// The value of a member; null: not there.
  const Tree* value(std::string_view name) {
    const auto* field = find(name);
    return field == nullptr ? nullptr : field->value;
  }
  const std::string* text(std::string_view name) {
    const auto* field = find(name);
    if (field == nullptr) return nullptr;
    const auto& scalar = StrictTree<Tree>::scalar(*field->value);
    const auto* text = scalar.template get_ptr<const std::string*>();
    if (text != nullptr && (form_ != Form::kConfiguration || !text->empty())) return text;
    must(*field, must_be_text(scalar), "string");
    return nullptr;
  }
  void text(std::string_view name, std::string& to) {
    if (const auto* found = text(name)) to = *found;
  }
  /// Reports it when it is not there.
  void required_text(std::string_view name, std::string& to) {
    if (look(name) == nullptr) wrong_whole(fmt::format("{} has no `{}`", what_, name));
    text(name, to);
  }
  void flag(std::string_view name, bool& to) {
    const auto* field = find(name);
    if (field == nullptr) return;
    const auto& scalar = StrictTree<Tree>::scalar(*field->value);
    if (scalar.is_boolean()) {
      to = scalar.template get<bool>();
    } else {
      must(*field, "true or false", "boolean");
    }
  }
  void texts(std::string_view name, std::vector<std::string>& to);
  /// One of `choices`; the first when it is not there.
  std::string_view choice(std::string_view name, std::initializer_list<std::string_view> choices);
  void milliseconds(std::string_view name, std::chrono::milliseconds& to,
                    Range<std::int64_t> range) {
    std::int64_t value = to.count();
    whole(name, value, range, "milliseconds");
    to = std::chrono::milliseconds(value);
  }
  /// A whole number; `unit`: "bytes", or nothing.
  template <typename T>
  void whole(std::string_view name, T& to, Range<T> range, std::string_view unit = {});
  void number(std::string_view name, double& to, Range<double> range);
  /// An object inside; null: not there, or something else (reported).
  const Tree* map(std::string_view name) {
    return structured(name, &StrictTree<Tree>::is_object, "a mapping", "object");
  }
  const Tree* list(std::string_view name) {
    return structured(name, &StrictTree<Tree>::is_list, "a list", "array");
  }

  /// Reports every member that was not asked for.
  void nothing_else();
  /// Reports every member that is none of `known`.
  void only(std::initializer_list<std::string_view> known) {
    known_.assign(known.begin(), known.end());
    nothing_else();
  }
  /// Reports what is wrong with a member, whether or not it is there.
  void wrong(std::string_view name, std::string message, std::string keyword = {}) {
    mistakes_.add({form_ == Form::kText ? mistakes_.origin() : at(name), std::move(message),
                   line_of(name), std::move(keyword)});
  }
  /// Reports what is wrong with the object.
  void wrong_whole(std::string message, std::string keyword = {}) {
    mistakes_.add({form_ == Form::kText ? mistakes_.origin() : place_, std::move(message), line_,
                   std::move(keyword)});
  }

  int line() const { return line_; }
  /// Of a member, or of the object when it is not there.
  int line_of(std::string_view name) const {
    const auto* field = look(name);
    return field == nullptr ? line_ : field->line;
  }
  /// The JSON Pointer of a member.
  std::string at(std::string_view name) const { return pointer_to(place_, std::string(name)); }
  Mistakes& mistakes() { return mistakes_; }

 private:
  enum class Form { kText, kConfiguration, kRequest };

  StrictObject(Form form, std::string place, std::string what, Mistakes& mistakes)
      : form_(form), place_(std::move(place)), what_(std::move(what)), mistakes_(mistakes) {}

  bool open(const Tree& object) {
    if (!StrictTree<Tree>::is_object(object)) return false;
    members_ = StrictTree<Tree>::members(object);
    return true;
  }
  const Member* look(std::string_view name) const {
    const auto found = std::find_if(members_.begin(), members_.end(),
                                    [&](const Member& member) { return member.name == name; });
    const bool there =
        found != members_.end() &&
        (form_ != Form::kConfiguration || !StrictTree<Tree>::scalar(*found->value).is_null());
    return there ? &*found : nullptr;
  }
  /// `type`: JSON's name of what is wanted.
  void must(const Member& field, std::string_view words, std::string_view type) {
    if (form_ == Form::kRequest) {
      wrong(field.name, fmt::format("expected {}, found {}", type, type_of(*field.value)), "type");
    } else {
      wrong(field.name, fmt::format("`{}` must be {}", field.written, words));
    }
  }
  void must_be_number(const Member& field, std::string_view words) {
    if (form_ != Form::kRequest) return must(field, words, {});
    const bool is_number = StrictTree<Tree>::scalar(*field.value).is_number();
    wrong(field.name, fmt::format("expected {}", words), is_number ? "range" : "type");
  }
  const Tree* structured(std::string_view name, bool (*is)(const Tree&), std::string_view words,
                         std::string_view type) {
    const auto* field = find(name);
    if (field == nullptr || is(*field->value)) return field == nullptr ? nullptr : field->value;
    must(*field, words, type);
    return nullptr;
  }
  static std::string_view type_of(const Tree& value) {
    if (StrictTree<Tree>::is_object(value)) return "object";
    return StrictTree<Tree>::is_list(value) ? "array" : StrictTree<Tree>::scalar(value).type_name();
  }
  /// A number is not taken for text: version 1.10 would silently become 1.1.
  static std::string_view must_be_text(const auto& scalar) {
    const bool could_be_quoted = scalar.is_number() || scalar.is_boolean();
    return could_be_quoted ? "text: write it in quotes" : "text";
  }
  template <typename T>
  static bool read_whole(const Tree& value, T& to) {
    const auto& scalar = StrictTree<Tree>::scalar(value);
    const auto take = [&to](auto number) {
      to = static_cast<T>(number);
      return std::in_range<T>(number);
    };
    if (scalar.is_number_unsigned()) return take(scalar.template get<std::uint64_t>());
    return scalar.is_number_integer() && take(scalar.template get<std::int64_t>());
  }

  const Form form_;
  const std::string place_;
  const std::string what_;
  Mistakes& mistakes_;
  std::vector<Member> members_;
  int line_ = 0;
  std::vector<std::string> known_;
};

template <typename Tree>
void StrictObject<Tree>::texts(std::string_view name, std::vector<std::string>& to) {
  const auto* field = find(name);
  if (field == nullptr) return;
  if (!StrictTree<Tree>::is_list(*field->value)) return must(*field, "a list of texts", "array");
  std::vector<std::string> read;
  const auto before = mistakes_.count();
  for (const auto& item : StrictTree<Tree>::members(*field->value)) {
    const auto& scalar = StrictTree<Tree>::scalar(*item.value);
    if (scalar.is_string()) {
      read.push_back(scalar.template get<std::string>());
    } else {
      mistakes_.add({form_ == Form::kText ? mistakes_.origin() : at(name),
                     fmt::format("each of `{}` must be {}", field->written, must_be_text(scalar)),
                     item.line});
    }
  }
  if (mistakes_.count() == before) to = std::move(read);
}

template <typename Tree>
std::string_view StrictObject<Tree>::choice(std::string_view name,
                                            std::initializer_list<std::string_view> choices) {
  const auto* given = value(name);
  if (given == nullptr) return *choices.begin();
  const auto& scalar = StrictTree<Tree>::scalar(*given);
  const auto* text = scalar.template get_ptr<const std::string*>();
  const auto found =
      text == nullptr ? choices.end() : std::find(choices.begin(), choices.end(), *text);
  if (found != choices.end()) return *found;
  wrong(name, fmt::format("{} is not one of {}", to_text(scalar), fmt::join(choices, ", ")),
        "enum");
  return *choices.begin();
}

template <typename Tree>
template <typename T>
void StrictObject<Tree>::whole(std::string_view name, T& to, Range<T> range,
                               std::string_view unit) {
  const auto* field = find(name);
  if (field == nullptr) return;
  T value{};
  if (read_whole(*field->value, value) && value >= range.least && value <= range.most) {
    to = value;
    return;
  }
  const auto words = fmt::format(
      "{} {}", unit.empty() ? "a whole number" : fmt::format("whole {}", unit), in_words(range));
  must_be_number(*field, words);
}

template <typename Tree>
void StrictObject<Tree>::number(std::string_view name, double& to, Range<double> range) {
  const auto* field = find(name);
  if (field == nullptr) return;
  const auto& scalar = StrictTree<Tree>::scalar(*field->value);
  const double read = scalar.is_number() ? scalar.template get<double>() : 0;
  if (scalar.is_number() && read >= range.least && read <= range.most) {
    to = read;
  } else {
    must_be_number(*field, "a number " + in_words(range));
  }
}

template <typename Tree>
void StrictObject<Tree>::nothing_else() {
  constexpr std::size_t kMaxUnknownFields = 20;  // of a request
  constexpr std::size_t kMaxNameShown = 64;      // of a name that a client chose
  for (const auto& field : members_) {
    if (std::find(known_.begin(), known_.end(), field.name) != known_.end()) continue;
    if (form_ == Form::kRequest) {
      if (mistakes_.count() >= kMaxUnknownFields) return;
      mistakes_.add(
          {at(utf8_prefix(field.name, kMaxNameShown)), "no such field", 0, "additionalProperties"});
      continue;
    }
    const auto near = nearest_names(field.written, known_, 1);
    const auto hint = near.empty() ? fmt::format("{} can have {}", what_, fmt::join(known_, ", "))
                                   : fmt::format("did you mean `{}`?", near.front());
    wrong(field.name, fmt::format("unknown field `{}`; {}", field.written, hint));
  }
}

extern template class StrictObject<Json>;
extern template class StrictObject<OrderedJson>;

}  // namespace toolway
