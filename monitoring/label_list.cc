#include "monitoring/label_list.h"

#include <fmt/format.h>

#include <cstdlib>

namespace toolway::monitoring {

void LabelList::add(std::string_view name, std::string_view value) {
  if (size_ == kMaxLabels) {
    fmt::print(stderr, "a metric was requested with more than {} labels\n", kMaxLabels);
    std::abort();
  }
  std::size_t at = size_++;
  for (; at > 0 && items_[at - 1].first > name; --at) items_[at] = items_[at - 1];
  items_[at] = {name, value};
}

std::string LabelList::text() const {
  std::string text;
  for (const auto& [name, value] : *this) append_label(text, name, value);
  return text;
}

void append_label(std::string& text, std::string_view name, std::string_view value) {
  if (!text.empty()) text += ',';
  text.append(name).append("=\"");
  for (const char c : value) {
    if (c == '\n')
      text += "\\n";
    else if (c == '"' || c == '\\')
      text.append({'\\', c});
    else
      text += c;
  }
  text += '"';
}

}  // namespace toolway::monitoring
