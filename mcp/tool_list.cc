#include "mcp/tool_list.h"

#include <fmt/format.h>

#include <array>

#include "base/try.h"
#include "base/utf8.h"
#include "mcp/json_marks.h"

namespace toolway::mcp {
namespace {

constexpr std::size_t kMaxOnPage = 10'000;
constexpr std::size_t kMaxCursor = 64 * 1024;
/// Ordered objects look their keys up one by one.
constexpr std::size_t kWidestOrdered = 2'000;

/// The most members that one list or object has. `text` nests at most kMaxJsonDepth deep.
std::size_t widest(std::string_view text) {
  std::array<std::size_t, kMaxJsonDepth + 2> members{};
  std::size_t depth = 0;
  std::size_t most = 0;
  for_each_mark(text, [&](char c) {
    if ((c == '{' || c == '[') && depth + 1 < members.size())
      members[++depth] = 0;
    else if ((c == '}' || c == ']') && depth > 0)
      --depth;
    else if (c == ',')
      most = std::max(most, ++members[depth]);
  });
  return most;
}

std::string text_in(const OrderedJson& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<bool> flag_in(const OrderedJson& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_boolean() ? std::optional(found->get<bool>())
                                                      : std::nullopt;
}

void read_behaviour(const OrderedJson& json, ToolDefinition& tool) {
  if (const auto found = json.find("annotations"); found != json.end() && found->is_object()) {
    tool.annotations = {flag_in(*found, "readOnlyHint"), flag_in(*found, "destructiveHint"),
                        flag_in(*found, "idempotentHint")};
    if (tool.title.empty()) tool.title = text_in(*found, "title");
  }
  if (const auto found = json.find("execution"); found != json.end() && found->is_object()) {
    const auto support = text_in(*found, "taskSupport");
    if (support == "required") tool.tasks = TaskSupport::kRequired;
    if (support == "optional") tool.tasks = TaskSupport::kOptional;
  }
}

/// Why it is not a tool; empty: it is.
std::string read_tool(OrderedJson& json, ToolDefinition& tool) {
  if (!json.is_object()) return "is not an object";
  tool.name = text_in(json, "name");
  if (tool.name.empty()) return "has no name";
  tool.title = text_in(json, "title");
  tool.description = text_in(json, "description");
  const auto input = json.find("inputSchema");
  if (input == json.end() || !input->is_object()) return "has no inputSchema object";
  tool.input_schema = std::move(*input);
  if (const auto output = json.find("outputSchema"); output != json.end() && !output->is_null()) {
    if (!output->is_object()) return "has an outputSchema that is not an object";
    tool.output_schema = std::move(*output);
  }
  read_behaviour(json, tool);
  return {};
}

std::string shown(const std::string& name, std::size_t place) {
  if (name.empty()) return fmt::format("entry {} of the list", place);
  auto text = name.substr(0, 128);
  while (!valid_utf8(text)) text.pop_back();
  return fmt::format("tool '{}'", text);
}

}  // namespace

Result<ToolPage> decode_tool_page(std::string_view answer) {
  OrderedJson json;
  if (widest(answer) <= kWidestOrdered) {
    ASSIGN_OR_RETURN(json, parse_ordered_json(answer));
  } else {
    ASSIGN_OR_RETURN(auto parsed, parse_json(answer));
    json = OrderedJson(parsed);
  }
  const auto result = json.find("result");
  const auto tools =
      result != json.end() && result->is_object() ? result->find("tools") : OrderedJson::iterator();
  if (result == json.end() || !result->is_object() || tools == result->end() ||
      !tools->is_array()) {
    return fail(ErrorCode::kInvalidRequest, "the answer to tools/list has no list `tools`");
  }
  ToolPage page;
  for (std::size_t i = 0; i < tools->size() && i < kMaxOnPage; ++i) {
    ToolDefinition tool;
    if (const auto wrong = read_tool((*tools)[i], tool); !wrong.empty()) {
      page.refused.push_back(fmt::format("{} {}", shown(tool.name, i), wrong));
    } else {
      page.tools.push_back(std::move(tool));
    }
  }
  if (tools->size() > kMaxOnPage) {
    page.refused.push_back(fmt::format(
        "the page has {} tools; those after the first {} are left out", tools->size(), kMaxOnPage));
  }
  if (const auto cursor = result->find("nextCursor");
      cursor != result->end() && !cursor->is_null()) {
    if (!cursor->is_string() || cursor->get_ref<const std::string&>().size() > kMaxCursor) {
      return fail(ErrorCode::kInvalidRequest,
                  fmt::format("`nextCursor` must be a text of at most {} bytes", kMaxCursor));
    }
    page.next_cursor = cursor->get<std::string>();
  }
  return page;
}

}  // namespace toolway::mcp
