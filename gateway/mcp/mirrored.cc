#include "gateway/mcp/mirrored.h"

#include <fmt/format.h>

#include <charconv>

#include "mcp/fields.h"

namespace toolway::gateway::mcp {
namespace {

const Json* value_at(const Json& arguments, const std::vector<std::string>& path) {
  const Json* value = &arguments;
  for (const auto& name : path)
    value = value == nullptr ? nullptr : toolway::mcp::member(*value, name.c_str());
  return value == nullptr || value->is_null() || value->is_structured() ? nullptr : value;
}

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool agrees(const Json& value, std::string_view said) {
  if (value.is_string()) return value.get_ref<const std::string&>() == said;
  // 42 and 42.0 are the same.
  if (value.is_number()) return number_of(said) == value.get<double>();
  return value.dump() == said;
}

}  // namespace

std::optional<std::string> wrong_mirror(
    const std::vector<toolway::mcp::MirroredParameter>& mirrored, const Json& arguments,
    const wire::RequestHead& head) {
  for (const auto& parameter : mirrored) {
    const auto* value = value_at(arguments, parameter.path);
    const auto header = head.find(parameter.header);
    if (!header && value == nullptr) continue;
    if (!header) return fmt::format("the header {} is missing", parameter.header);
    if (head.count(parameter.header) > 1)
      return fmt::format("the header {} is there more than once", parameter.header);
    if (value == nullptr)
      return fmt::format("the header {} has a value, and the arguments have none",
                         parameter.header);
    const auto said = toolway::mcp::header_text(*header);
    if (!said) return fmt::format("the header {} is not base64", parameter.header);
    if (!agrees(*value, *said))
      return fmt::format("the header {} is not what the arguments say", parameter.header);
  }
  return std::nullopt;
}

}  // namespace toolway::gateway::mcp
