#include "tools/messages/foreign_content.h"

#include <fmt/format.h>

#include "tools/messages/foreign_parts.h"

namespace toolway::tools::messages {
namespace {

/// Nothing: it is not a part that says something by this member.
const char* text_name(const OrderedJson& part) {
  const auto type = text_member(part, "type");
  if (type == "refusal" || part.contains("refusal")) return "refusal";
  for (const auto* of_text : {"text", "input_text", "output_text"})
    if (type == of_text) return "text";
  return part.contains("text") ? "text" : nullptr;
}

void check_part(const OrderedJson& part, Mistakes& mistakes, const std::string& place) {
  if (!part.is_object())
    return mistakes.add(
        {place, fmt::format("expected a part, which is an object, found {}", part.type_name())});
  const auto* name = text_name(part);
  if (name == nullptr) return;
  const auto text = part.find(name);
  if (text == part.end()) return mistakes.add({fmt::format("{}/{}", place, name), "it is missing"});
  if (!text->is_string())
    mistakes.add({fmt::format("{}/{}", place, name),
                  fmt::format("expected text, found {}", text->type_name())});
}

}  // namespace

void check_content(const OrderedJson* content, NoContent none, Mistakes& mistakes,
                   const std::string& place) {
  if (content == nullptr || content->is_null()) {
    if (none == NoContent::kAllowed) return;
    return mistakes.add({place, content == nullptr
                                    ? "it is missing"
                                    : "expected text or a list of parts, found null"});
  }
  if (content->is_string()) return;
  if (!content->is_array())
    return mistakes.add(
        {place, fmt::format("expected text or a list of parts, found {}", content->type_name())});
  for (std::size_t i = 0; i < content->size(); ++i)
    check_part((*content)[i], mistakes, fmt::format("{}/{}", place, i));
}

}  // namespace toolway::tools::messages
