#include "gateway/api_docs/html.h"

namespace toolway::gateway::api_docs {

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string prose(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto open = text.find('`');
    const auto close = open == std::string_view::npos ? open : text.find('`', open + 1);
    out += escaped(text.substr(0, close == std::string_view::npos ? text.size() : open));
    if (close == std::string_view::npos) break;
    out += "<code>" + escaped(text.substr(open + 1, close - open - 1)) + "</code>";
    text.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace toolway::gateway::api_docs
