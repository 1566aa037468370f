#include "gateway/wire/prefer.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace toolway::gateway::wire {

std::optional<std::chrono::seconds> preferred_wait(std::string_view prefer) {
  while (!prefer.empty()) {
    const auto comma = prefer.find(',');
    auto item = trimmed(prefer.substr(0, comma));
    prefer = comma == std::string_view::npos ? std::string_view() : prefer.substr(comma + 1);
    item = trimmed(item.substr(0, item.find(';')));  // parameters of a preference
    const auto equals = item.find('=');
    if (equals == std::string_view::npos) continue;
    if (!same_word(trimmed(item.substr(0, equals)), "wait")) continue;
    auto value = trimmed(item.substr(equals + 1));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);
    }
    long seconds = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
    const bool all = end == value.data() + value.size() && !value.empty();
    if (all && error == std::errc::result_out_of_range && value.front() != '-')
      return kMaxPreferredWait;
    if (!all || error != std::errc() || seconds <= 0) return std::nullopt;
    return std::min<std::chrono::seconds>(std::chrono::seconds(seconds), kMaxPreferredWait);
  }
  return std::nullopt;
}

}  // namespace toolway::gateway::wire
