#include "tools/specs/original_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tools/specs/command_line.h"

namespace toolway::tools::specs {
namespace {

struct Renamed {
  std::string_view written;
  std::string_view name;
};
constexpr std::array kRenamed{Renamed{"tool_type", "kind"}, Renamed{"is_dangerous", "dangerous"},
                              Renamed{"parameters", "input_schema"}};

/// What that form has outside `implementation_config` as well as in it.
constexpr std::array<std::string_view, 4> kConfig{"command", "shell", "module", "function_name"};

/// A value that the text does not have, at the line of what it was made from.
Located located(const OrderedJson& value, int line) {
  Located made{.line = line, .members = {}};
  if (value.is_array()) {
    made.shape = Located::Shape::kList;
    for (const auto& item : value) made.members.push_back({"", line, located(item, line)});
  } else if (value.is_object()) {
    made.shape = Located::Shape::kMap;
    for (const auto& [key, member] : value.items())
      made.members.push_back({key, line, located(member, line)});
  } else {
    made.scalar = value;
  }
  return made;
}

OrderedJson schema_of(const std::vector<std::string>& placeholders) {
  OrderedJson properties = OrderedJson::object();
  for (const auto& name : placeholders) properties[name] = {{"type", "string"}};
  OrderedJson schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!placeholders.empty()) schema["required"] = placeholders;
  schema["additionalProperties"] = false;
  return schema;
}

class Turning {
 public:
  Turning(Entry& entry, Mistakes& mistakes) : entry_(entry), mistakes_(mistakes) {}

  void run() {
    for (auto& field : entry_.fields) rename(field);
    gather_config();
    if (!config_.members.empty()) add("implementation_config", config_line_, std::move(config_));
  }

 private:
  void rename(NamedMember& field) {
    for (const auto& [written, name] : kRenamed) {
      if (field.written == written) field.name = name;
    }
    has_schema_ |= field.name == "input_schema";
    if (field.written == "tool_type" && field.value->is_text() && field.value->scalar == "shell") {
      field.value = &entry_.made.emplace_back(located("command", field.line));
    }
  }

  /// Takes all of the config out of the fields, and puts it into one mapping.
  void gather_config() {
    config_.shape = Located::Shape::kMap;
    std::vector<LocatedMember> found;
    std::erase_if(entry_.fields, [&](const NamedMember& field) {
      const bool outside = std::find(kConfig.begin(), kConfig.end(), field.name) != kConfig.end();
      const bool inside = field.name == "implementation_config" && field.value->is_map();
      if (outside) found.push_back({field.name, field.line, *field.value});
      if (inside)
        found.insert(found.end(), field.value->members.begin(), field.value->members.end());
      if ((outside || inside) && config_line_ == 0) config_line_ = config_.line = field.line;
      return outside || inside;
    });
    for (auto& member : found) take(std::move(member));
  }

  void take(LocatedMember member) {
    if (member.key == "shell") {
      if (!member.value.scalar.is_boolean())
        mistakes_.add(member.line, "`shell` must be true or false");
    } else if (member.key == "command") {
      take_command(member);
    } else {
      put(std::move(member));
    }
  }

  void take_command(const LocatedMember& command) {
    if (!command.value.is_text()) return refuse(command.line, "must be text");
    const auto line = split_command_line(command.value.scalar.get_ref<const std::string&>());
    if (!line.refused.empty()) return refuse(command.line, line.refused);
    put({"argv", command.line, located(line.argv, command.line)});
    if (std::exchange(has_schema_, true)) return;
    add("input_schema", command.line, located(schema_of(line.placeholders), command.line));
  }

  void refuse(int line, const std::string& why) {
    mistakes_.add(line, "`command` " + why);
    entry_.whole = false;
  }

  void put(LocatedMember member) {
    if (const auto* first = find(config_, member.key)) {
      return mistakes_.add(member.line, fmt::format("{} appears twice, first at line {}",
                                                    in_quotes(member.key), first->line));
    }
    config_.members.push_back(std::move(member));
  }

  void add(std::string name, int line, Located value) {
    const auto* made = &entry_.made.emplace_back(std::move(value));
    entry_.fields.push_back({name, name, line, made});
  }

  Entry& entry_;
  Mistakes& mistakes_;
  bool has_schema_ = false;
  Located config_{};
  int config_line_ = 0;
};

}  // namespace

bool is_original_form(const Located& map) { return find(map, "tool_type") != nullptr; }

void from_original_form(Entry& entry, Mistakes& mistakes) { Turning(entry, mistakes).run(); }

}  // namespace toolway::tools::specs
