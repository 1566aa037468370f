#include "gateway/catalogue/tool_filter.h"

#include <algorithm>

#include "base/ids.h"
#include "base/text.h"
#include "tools/executors/kind_types.h"

namespace toolway::gateway::catalogue {
namespace {

constexpr std::size_t kMaxQueryLength = 256;
constexpr std::size_t kMaxCategoryLength = 255;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
      word.push_back(lower_letter(c));
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

bool holds(std::string_view text, std::string_view word) {
  const auto same = [](char a, char b) { return lower_letter(a) == b; };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end();
}

}  // namespace

bool ToolFilter::wants(const tools::model::Spec& spec) const {
  if (kind && spec.kind != *kind) return false;
  if (ns && spec.ns != *ns) return false;
  if (category && spec.category != *category) return false;
  return std::all_of(words.begin(), words.end(), [&spec](const std::string& word) {
    return holds(spec.name, word) || holds(spec.ns, word) || holds(spec.description, word) ||
           holds(spec.category, word) || holds(spec.topic, word);
  });
}

wire::HttpResult<ToolFilter> parse_tool_filter(const wire::Target& target) {
  ToolFilter filter;
  if (const auto text = target.query("kind")) {
    const auto* type = tools::executors::kind_types().find(*text);
    if (type == nullptr) {
      return wire::refuse(wire::invalid_parameter(
          "kind", "enum", "expected " + tools::executors::kind_types().names()));
    }
    filter.kind = type->kind;
  }
  if (const auto text = target.query("namespace")) {
    if (!valid_name(*text)) {
      return wire::refuse(wire::invalid_parameter(
          "namespace", "pattern", "expected 1 to 64 characters of A-Z a-z 0-9 _ -"));
    }
    filter.ns = std::string(*text);
  }
  if (const auto text = target.query("category")) {
    if (text->empty() || text->size() > kMaxCategoryLength) {
      return wire::refuse(
          wire::invalid_parameter("category", "maxLength", "expected 1 to 255 bytes"));
    }
    filter.category = std::string(*text);
  }
  if (const auto text = target.query("q")) {
    if (text->size() > kMaxQueryLength) {
      return wire::refuse(wire::invalid_parameter("q", "maxLength", "expected at most 256 bytes"));
    }
    filter.words = words_of(*text);
  }
  return filter;
}

wire::HttpResult<tools::exports::Format> parse_tool_format(const wire::Target& target) {
  const auto text = target.query("format");
  if (!text) return tools::exports::Format::kToolway;
  if (const auto format = tools::exports::parse_format(*text)) return *format;
  return wire::refuse(wire::invalid_parameter(
      "format", "enum", "expected toolway, openai, openai-responses, anthropic or mcp"));
}

}  // namespace toolway::gateway::catalogue
