#include "gateway/wire/prefer.h"

#include <algorithm>

#include "base/digits.h"
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
    const auto seconds = parse_saturated(value);
    if (seconds.value_or(0) == 0) return std::nullopt;
    constexpr auto kMaxSeconds = static_cast<std::uint64_t>(kMaxPreferredWait.count());
    return std::chrono::seconds(std::min(*seconds, kMaxSeconds));
  }
  return std::nullopt;
}

}  // namespace toolway::gateway::wire
