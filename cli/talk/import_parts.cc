#include "cli/talk/import_parts.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/try.h"

namespace toolway::cli::talk {
namespace {

constexpr std::size_t kMaxDepth = 128;  // as importers allow

/// Anthropic's results are messages of the user.
bool has_results(const OrderedJson& message) {
  const auto content = message.find("content");
  if (content == message.end() || !content->is_array()) return false;
  return std::ranges::any_of(*content, [](const OrderedJson& part) {
    return part.is_object() && part.value("type", OrderedJson()) == "tool_result";
  });
}

bool may_begin(const OrderedJson& message) {
  return message.is_object() && message.value("role", OrderedJson()) == "user" &&
         !has_results(message);
}

/// The list of messages, under its name in the document; empty: the document is the list.
std::string list_name(const OrderedJson& document) {
  for (const char* name : {"messages", "input"})
    if (document.is_object() && document.contains(name) && document.at(name).is_array())
      return name;
  return {};
}

/// What the document says besides its messages; a later part does not say it again, except for what
/// it must say to be read at all.
OrderedJson around(const OrderedJson& document, const std::string& list, bool first) {
  auto envelope = OrderedJson::object();
  for (const auto& [name, value] : document.items())
    if (name == list)
      envelope[name] = OrderedJson::array();
    else if (first || name == "format" || name == "version")
      envelope[name] = value;
  return envelope;
}

}  // namespace

Result<std::vector<std::string>> import_parts(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::vector{std::string(text)};
  ASSIGN_OR_RETURN(const auto document, parse_ordered_json(text, kMaxDepth));
  const auto list = list_name(document);
  if (list.empty() && !document.is_array()) return std::vector{std::string(text)};
  const auto& messages = list.empty() ? document : document.at(list);
  std::vector<std::string> parts;
  auto part = OrderedJson::array();
  std::size_t bytes = 0;
  const auto end_part = [&] {
    if (list.empty()) {
      parts.push_back(to_text(part));
    } else {
      auto envelope = around(document, list, parts.empty());
      envelope[list] = std::move(part);
      parts.push_back(to_text(envelope));
    }
    part = OrderedJson::array();
    bytes = 0;
  };
  auto stretch = messages.begin();
  while (stretch != messages.end()) {
    const auto next = std::find_if(stretch + 1, messages.end(), may_begin);
    std::size_t size = 0;
    for (auto message = stretch; message != next; ++message) size += to_text(*message).size() + 1;
    if (!part.empty() && bytes + size > most) end_part();
    bytes += size;
    part.insert(part.end(), stretch, next);
    stretch = next;
  }
  if (!part.empty() || parts.empty()) end_part();
  return parts;
}

}  // namespace toolway::cli::talk
