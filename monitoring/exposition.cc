#include "monitoring/exposition.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace toolway::monitoring {
namespace {

/// Takes off what comes before the next `separator`, and the separator.
std::string_view next_part(std::string_view& text, char separator) {
  const auto end = std::min(text.find(separator), text.size());
  const auto part = trimmed(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

struct MediaRange {
  std::string_view type;
  std::string_view version;
  double weight = 1;
};

MediaRange read_range(std::string_view text) {
  MediaRange range{.type = next_part(text, ';'), .version = {}};
  while (!text.empty()) {
    auto parameter = next_part(text, ';');
    const auto name = next_part(parameter, '=');
    if (same_word(name, "version")) range.version = parameter;
    if (!same_word(name, "q")) continue;
    range.weight = 0;  // unless it is a number
    std::from_chars(parameter.data(), parameter.data() + parameter.size(), range.weight);
  }
  return range;
}

}  // namespace

Exposition choose_exposition(std::string_view accept) {
  double open_metrics = 0;
  double text = 0;
  while (!accept.empty()) {
    const MediaRange range = read_range(next_part(accept, ','));
    const bool ours = range.version.empty() || range.version == "1.0.0";
    if (same_word(range.type, "application/openmetrics-text") && ours)
      open_metrics = std::max(open_metrics, range.weight);
    if (same_word(range.type, "text/plain")) text = std::max(text, range.weight);
  }
  return open_metrics > 0 && open_metrics >= text ? Exposition::kOpenMetrics
                                                  : Exposition::kPrometheusText;
}

std::string_view content_type(Exposition format) {
  switch (format) {
    case Exposition::kPrometheusText: return "text/plain; version=0.0.4; charset=utf-8";
    case Exposition::kOpenMetrics:
      return "application/openmetrics-text; version=1.0.0; charset=utf-8";
  }
  return "";
}

}  // namespace toolway::monitoring
