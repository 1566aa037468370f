#include "gateway/api_docs/html.h"

#include "base/markup.h"
namespace toolway::gateway::api_docs {

std::string prose(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto open = text.find('`');
    const auto close = open == std::string_view::npos ? open : text.find('`', open + 1);
    out += escape_markup(text.substr(0, close == std::string_view::npos ? text.size() : open));
    if (close == std::string_view::npos) break;
    out += "<code>" + escape_markup(text.substr(open + 1, close - open - 1)) + "</code>";
    text.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace toolway::gateway::api_docs
