#include "tools/specs/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/nearest_names.h"

namespace toolway::tools {
namespace {

std::vector<NamedMember> members_of(const Located& map) {
  std::vector<NamedMember> fields;
  fields.reserve(map.members.size());
  for (const auto& member : map.members)
    fields.push_back({member.key, member.key, member.line, &member.value});
  return fields;
}

bool read_text(const Located& value, std::string& to) {
  if (!value.is_text()) return false;
  to = value.scalar.get_ref<const std::string&>();
  return true;
}

/// A number is not taken for text: version 1.10 would silently become 1.1.
std::string_view must_be_text(const Located& value) {
  const bool could_be_quoted = value.shape == Located::Shape::kScalar && !value.scalar.is_null();
  return could_be_quoted ? "text: write it in quotes" : "text";
}

/// "from 0 to 5", "at least 1".
template <typename T>
std::string words(Range<T> range) {
  if (range.most == std::numeric_limits<T>::max()) return fmt::format("at least {}", range.least);
  return fmt::format("from {} to {}", range.least, range.most);
}

}  // namespace

Fields::Fields(const Located& map, std::string what, Mistakes& mistakes)
    : Fields(members_of(map), map.line, std::move(what), mistakes) {}

Fields::Fields(std::vector<NamedMember> fields, int line, std::string what, Mistakes& mistakes)
    : fields_(std::move(fields)), line_(line), what_(std::move(what)), mistakes_(mistakes) {}

const NamedMember* Fields::look(std::string_view name) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(),
                                  [&](const NamedMember& field) { return field.name == name; });
  return found == fields_.end() ? nullptr : &*found;
}

const NamedMember* Fields::find(std::string_view name) {
  if (std::find(known_.begin(), known_.end(), name) == known_.end()) known_.emplace_back(name);
  return look(name);
}

int Fields::line_of(std::string_view name) const {
  const auto* field = look(name);
  return field == nullptr ? line_ : field->line;
}

void Fields::must(const NamedMember& field, std::string_view what) {
  mistakes_.add(field.line, fmt::format("`{}` must be {}", field.written, what));
}

void Fields::text(std::string_view name, std::string& to) {
  const auto* field = find(name);
  if (field != nullptr && !read_text(*field->value, to)) must(*field, must_be_text(*field->value));
}

void Fields::required_text(std::string_view name, std::string& to) {
  if (look(name) == nullptr) mistakes_.add(line_, fmt::format("{} has no `{}`", what_, name));
  text(name, to);
}

void Fields::flag(std::string_view name, bool& to) {
  const auto* field = find(name);
  if (field == nullptr) return;
  const auto& value = *field->value;
  if (value.shape == Located::Shape::kScalar && value.scalar.is_boolean()) {
    to = value.scalar.get<bool>();
  } else {
    must(*field, "true or false");
  }
}

void Fields::texts(std::string_view name, std::vector<std::string>& to) {
  const auto* field = find(name);
  if (field == nullptr) return;
  if (!field->value->is_list()) return must(*field, "a list of texts");
  std::vector<std::string> read;
  bool right = true;
  for (const auto& item : field->value->members) {
    if (read_text(item.value, read.emplace_back())) continue;
    mistakes_.add(item.line,
                  fmt::format("each of `{}` must be {}", field->written, must_be_text(item.value)));
    right = false;
  }
  if (right) to = std::move(read);
}

template <typename T>
bool Fields::read_whole(const NamedMember& field, T& to) const {
  const auto& value = *field.value;
  if (value.shape != Located::Shape::kScalar || !value.scalar.is_number_integer()) return false;
  if (value.scalar.is_number_unsigned()) {
    const auto number = value.scalar.get<std::uint64_t>();
    to = static_cast<T>(number);
    return std::in_range<T>(number);
  }
  const auto number = value.scalar.get<std::int64_t>();
  to = static_cast<T>(number);
  return std::in_range<T>(number);
}

template <typename T>
void Fields::whole(std::string_view name, T& to, Range<T> range, std::string_view unit) {
  const auto* field = find(name);
  if (field == nullptr) return;
  T value{};
  if (read_whole(*field, value) && value >= range.least && value <= range.most) {
    to = value;
  } else {
    must(*field,
         fmt::format("{} {}", unit.empty() ? "a whole number" : fmt::format("whole {}", unit),
                     words(range)));
  }
}
template void Fields::whole(std::string_view, unsigned&, Range<unsigned>, std::string_view);
template void Fields::whole(std::string_view, std::int64_t&, Range<std::int64_t>, std::string_view);
template void Fields::whole(std::string_view, std::size_t&, Range<std::size_t>, std::string_view);

void Fields::milliseconds(std::string_view name, std::chrono::milliseconds& to,
                          Range<std::int64_t> range) {
  std::int64_t value = to.count();
  whole(name, value, range, "milliseconds");
  to = std::chrono::milliseconds(value);
}

void Fields::number(std::string_view name, double& to, Range<double> range) {
  const auto* field = find(name);
  if (field == nullptr) return;
  const auto& value = *field->value;
  const bool is_number = value.shape == Located::Shape::kScalar && value.scalar.is_number();
  const double read = is_number ? value.scalar.get<double>() : 0;
  if (is_number && read >= range.least && read <= range.most) {
    to = read;
  } else {
    must(*field, "a number " + words(range));
  }
}

void Fields::json(std::string_view name, OrderedJson& to) {
  if (const auto* field = find(name)) to = to_json(*field->value);
}

const Located* Fields::map(std::string_view name) {
  const auto* field = find(name);
  if (field == nullptr || field->value->is_map()) return field == nullptr ? nullptr : field->value;
  must(*field, "a mapping");
  return nullptr;
}

void Fields::nothing_else() {
  for (const auto& field : fields_) {
    if (std::find(known_.begin(), known_.end(), field.name) != known_.end()) continue;
    const auto near = nearest_names(field.written, known_, 1);
    const auto hint = near.empty() ? fmt::format("{} can have {}", what_, fmt::join(known_, ", "))
                                   : fmt::format("did you mean `{}`?", near.front());
    mistakes_.add(field.line, fmt::format("unknown field `{}`; {}", field.written, hint));
  }
}

}  // namespace toolway::tools
