#include "bus/subject_filter.h"

namespace toolway::bus {
namespace {

/// Cuts the first token off `rest`.
std::string_view take_token(std::string_view& rest) {
  const auto dot = rest.find('.');
  const std::string_view token = rest.substr(0, dot);
  rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
  return token;
}

}  // namespace

bool subject_matches(std::string_view filter, std::string_view subject) {
  while (!filter.empty() && !subject.empty()) {
    const std::string_view want = take_token(filter);
    if (want == ">") return true;
    const std::string_view have = take_token(subject);
    if (want != "*" && want != have) return false;
  }
  return filter.empty() && subject.empty();
}

}  // namespace toolway::bus
