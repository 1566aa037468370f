#include "gateway/wire/target.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"

namespace toolway::gateway::wire {
namespace {

tl::unexpected<Problem> bad_target(std::string message) {
  Problem problem{.error = Error{ErrorCode::kInvalidRequest, std::move(message)}};
  problem.status = 400;
  return refuse(std::move(problem));
}

}  // namespace

HttpResult<Target> Target::parse(std::string_view target) {
  if (target.substr(0, 7) == "http://" || target.substr(0, 8) == "https://") {
    const auto slash = target.find('/', 8);
    target = slash == std::string_view::npos ? std::string_view("/") : target.substr(slash);
  }
  if (target.empty() || target.front() != '/') {
    return bad_target("the request target is not a path");
  }
  const auto mark = target.find('?');
  Target parsed;
  parsed.path_ = std::string(target.substr(0, mark));
  // Decoded later, piece by piece; checked here so that a bad one is always a 400.
  if (!percent_decoded(parsed.path_)) return bad_target("bad percent-encoding in the path");
  if (mark == std::string_view::npos) return parsed;
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const auto end = rest.find('&');
    const auto pair = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (pair.empty()) continue;
    const auto equals = pair.find('=');
    auto name = percent_decoded(pair.substr(0, equals));
    auto value = percent_decoded(equals == std::string_view::npos ? std::string_view()
                                                                  : pair.substr(equals + 1));
    if (!name || !value || !valid_utf8(*name) || !valid_utf8(*value)) {
      return bad_target("bad percent-encoding in the query");
    }
    parsed.query_.emplace_back(std::move(*name), std::move(*value));
  }
  return parsed;
}

std::optional<std::string_view> Target::query(std::string_view name) const {
  for (const auto& [key, value] : query_) {
    if (key == name) return value;
  }
  return std::nullopt;
}

HttpResult<void> Target::only(std::initializer_list<std::string_view> known) const {
  for (auto given = query_.begin(); given != query_.end(); ++given) {
    const auto& name = given->first;
    if (std::find(known.begin(), known.end(), name) == known.end())
      return refuse(invalid_parameter(name, "additionalProperties", "no such parameter"));
    const auto same = [&name](const auto& other) { return other.first == name; };
    if (std::any_of(query_.begin(), given, same))
      return refuse(invalid_parameter(name, "uniqueItems", "given twice"));
  }
  return {};
}

HttpResult<std::size_t> parse_limit(const Target& target, std::size_t otherwise, std::size_t most) {
  const auto text = target.query("limit");
  if (!text) return otherwise;
  std::size_t value = 0;
  if (!parse_number(*text, value) || value < 1 || value > most) {
    return refuse(
        invalid_parameter("limit", "range", fmt::format("expected a number from 1 to {}", most)));
  }
  return value;
}

}  // namespace toolway::gateway::wire
