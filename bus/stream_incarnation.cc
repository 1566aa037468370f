#include "bus/stream_incarnation.h"

#include <charconv>

namespace toolway::bus {
namespace {

constexpr std::string_view kOpening = "toolway incarnation ";

}  // namespace

std::string describe_incarnation(std::int64_t incarnation) { return std::string(kOpening) + std::to_string(incarnation); }

std::optional<std::int64_t> described_incarnation(std::string_view description) {
  if (description.substr(0, kOpening.size()) != kOpening) return std::nullopt;
  description.remove_prefix(kOpening.size());
  std::int64_t value = 0;
  const auto* const end = description.data() + description.size();
  const auto [stopped, error] = std::from_chars(description.data(), end, value);
  if (error != std::errc() || stopped != end || value <= 0) return std::nullopt;
  return value;
}

}  // namespace toolway::bus
