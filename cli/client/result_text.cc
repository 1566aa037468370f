#include "cli/client/result_text.h"

#include <fmt/format.h>

namespace toolway::cli::client {

std::optional<std::string> text_result(const OrderedJson& result) {
  if (result.is_string()) return result.get<std::string>();
  if (!result.is_object() || result.contains("structuredContent")) return std::nullopt;
  const auto content = result.find("content");
  if (content == result.end() || !content->is_array() || content->empty()) return std::nullopt;
  std::string text;
  for (const auto& block : *content) {
    if (!block.is_object() || block.value("type", OrderedJson()) != "text" ||
        !block.value("text", OrderedJson()).is_string())
      return std::nullopt;
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    text += block.at("text").get<std::string>();
  }
  return text;
}

void print_result(const terminal::View& view, const OrderedJson& result) {
  const bool raw = view.output == terminal::Output::kRaw || (view.terminal && !view.json());
  if (const auto text = raw ? text_result(result) : std::nullopt)
    fmt::print("{}{}", *text, text->ends_with('\n') ? "" : "\n");
  else
    fmt::print("{}\n", result.dump(2, ' ', false, OrderedJson::error_handler_t::replace));
}

}  // namespace toolway::cli::client
