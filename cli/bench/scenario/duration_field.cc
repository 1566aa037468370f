#include "cli/bench/scenario/duration_field.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>

namespace toolway::cli::bench::scenario {

Result<double> parse_duration(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double number = std::strtod(copy.c_str(), &end);
  const std::string_view unit(end);
  const double seconds = unit == "ms"  ? 0.001
                         : unit == "s" ? 1
                         : unit == "m" ? 60
                         : unit == "h" ? 3600
                                       : 0;
  const bool digit = !copy.empty() && copy[0] >= '0' && copy[0] <= '9';
  if (!digit || seconds == 0 || !std::isfinite(number))
    return fail(ErrorCode::kInvalidRequest,
                "must be a time with its unit, such as 500ms, 10s, 5m or 1h");
  return number * seconds;
}

void read_duration(tools::specs::Fields& fields, std::string_view name, double& seconds,
                   toolway::Range<double> range) {
  const auto* field = fields.find(name);
  if (field == nullptr) return;
  const auto& value = *field->value;
  const auto read =
      parse_duration(value.is_text() ? value.scalar.get_ref<const std::string&>() : std::string());
  if (!read)
    return fields.mistakes().add(field->line, fmt::format("`{}` {}", name, read.error().message));
  if (*read < range.least || *read > range.most)
    return fields.mistakes().add(
        field->line, fmt::format("`{}` must be from {}s to {}s", name, range.least, range.most));
  seconds = *read;
}

}  // namespace toolway::cli::bench::scenario
