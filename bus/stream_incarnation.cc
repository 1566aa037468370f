#include "bus/stream_incarnation.h"

#include "base/text.h"

namespace toolway::bus {
namespace {

constexpr std::string_view kOpening = "toolway incarnation ";

}  // namespace

std::string describe_incarnation(std::int64_t incarnation) {
  return std::string(kOpening) + std::to_string(incarnation);
}

std::int64_t incarnation_of(std::string_view description, std::int64_t created) {
  if (!description.starts_with(kOpening)) return created;
  description.remove_prefix(kOpening.size());
  std::int64_t value = 0;
  return parse_number(description, value) && value > 0 ? value : created;
}

}  // namespace toolway::bus
