#include "tools/exports/model_results.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"

namespace toolway::tools::exports {

std::string pretty_json(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 2);
  std::size_t depth = 0;
  const auto new_line = [&out, &depth] {
    out.push_back('\n');
    out.append(2 * std::min(depth, kMaxJsonDepth), ' ');
  };
  for (std::size_t i = 0; i < json.size();) {
    const char c = json[i];
    if (is_json_space(c)) {
      ++i;
      continue;
    }
    if (c == '"') {
      const std::size_t end = skip_json_string(json, i);
      out.append(json.substr(i, end - i));
      i = end;
      continue;
    }
    ++i;
    switch (c) {
      case '{':
      case '[': {
        out.push_back(c);
        while (i < json.size() && is_json_space(json[i])) ++i;
        if (i < json.size() && (json[i] == '}' || json[i] == ']')) {
          out.push_back(json[i++]);
          break;
        }
        ++depth;
        new_line();
        break;
      }
      case '}':
      case ']':
        if (depth > 0) --depth;
        new_line();
        out.push_back(c);
        break;
      case ',':
        out.push_back(c);
        new_line();
        break;
      case ':': out.append(": "); break;
      default: out.push_back(c);
    }
  }
  return out;
}

std::string model_text(std::string_view json) {
  const auto begin = std::find_if_not(json.begin(), json.end(), is_json_space);
  if (begin == json.end()) return "null";
  if (*begin == '"') {
    // What our parser does not take (half a surrogate pair) stays as it is written.
    if (auto text = parse_json(json); text && text->is_string()) return text->get<std::string>();
  }
  return pretty_json(json);
}

std::string whole_result_note(std::uint64_t bytes, std::string_view call_id) {
  return fmt::format(
      "\n\n[This is only the beginning: the whole result has {} bytes, and is at "
      "/v1/calls/{}/result]",
      bytes, call_id);
}

std::string block_line(const BlockName& block, std::string_view why) {
  auto line = fmt::format("[{}", block.type);
  for (const auto part : {block.mime_type, block.name, block.uri})
    if (!part.empty()) line += fmt::format(" {}", part);
  if (block.bytes > 0) line += fmt::format(", {} bytes", block.bytes);
  if (!why.empty()) line += fmt::format(": {}", why);
  return line + "]";
}

std::string model_error_text(std::string_view message) {
  return "tool_error: " + std::string(message);
}

OrderedJson messages_to_append(ModelApi api, const std::vector<ModelResult>& results) {
  OrderedJson messages = OrderedJson::array();
  OrderedJson blocks = OrderedJson::array();
  for (const ModelResult& result : results) {
    switch (api) {
      case ModelApi::kOpenAi:
        messages.push_back(
            {{"role", "tool"}, {"tool_call_id", result.tool_call_id}, {"content", result.text}});
        break;
      case ModelApi::kOpenAiResponses:
        messages.push_back(
            {{"type", result.custom ? "custom_tool_call_output" : "function_call_output"},
             {"call_id", result.tool_call_id},
             {"output", result.text}});
        break;
      case ModelApi::kAnthropic: {
        OrderedJson block{{"type", "tool_result"},
                          {"tool_use_id", result.tool_call_id},
                          {"content", result.text}};
        if (result.is_error) block["is_error"] = true;
        blocks.push_back(std::move(block));
        break;
      }
    }
  }
  if (!blocks.empty()) messages.push_back({{"role", "user"}, {"content", std::move(blocks)}});
  return messages;
}

}  // namespace toolway::tools::exports
