#pragma once

// More of schema_keywords.h: jsoncons divides as doubles, which have no more than 53 bits.
#include <cmath>
#include <cstdint>

#include "tools/schema/schema_keywords.h"

namespace toolway::tools::schema {

/// How far a whole number is from zero; nothing: it is not a whole number of 64 bits.
inline std::optional<std::uint64_t> magnitude(const Foreign& number) {
  if (number.is_uint64()) return number.as<std::uint64_t>();
  if (number.is_int64()) return 0 - static_cast<std::uint64_t>(number.as<std::int64_t>());
  const double value = std::fabs(number.as<double>());
  constexpr double kBeyond = 18446744073709551616.0;  // 2^64
  if (value < kBeyond && value == std::trunc(value)) return static_cast<std::uint64_t>(value);
  return std::nullopt;
}

inline bool is_multiple_of(const Foreign& number, const Foreign& of) {
  const auto whole = magnitude(number);
  const auto divisor = magnitude(of);
  if (whole && divisor && *divisor != 0) return *whole % *divisor == 0;
  // 0.3 is a multiple of 0.1: what is left is less than the number's own precision.
  const double value = number.as<double>();
  return value == 0 || std::fabs(std::remainder(value, of.as<double>())) <
                           std::fabs(std::nextafter(value, 0) - value);
}

}  // namespace toolway::tools::schema

namespace jsoncons::jsonschema {

template <>
class multiple_of_validator<Foreign> : public keyword_validator<Foreign> {
  using walk_reporter_type = json_schema_traits<Foreign>::walk_reporter_type;

 public:
  multiple_of_validator(const Foreign& schema, const uri& location, const std::string& message,
                        Foreign of)
      : keyword_validator<Foreign>("multipleOf", schema, location, message), of_(std::move(of)) {}

 private:
  walk_result do_validate(const eval_context<Foreign>& context, const Foreign& instance,
                          const jsonpointer::json_pointer& location, evaluation_results&,
                          error_reporter& reporter, Foreign&) const final {
    if (!instance.is_number() || toolway::tools::schema::is_multiple_of(instance, of_))
      return walk_result::advance;
    const eval_context<Foreign> here(context, keyword_name());
    return reporter.error(
        make_validation_message(here.eval_path(), location, "is not such a multiple"));
  }
  walk_result do_walk(const eval_context<Foreign>&, const Foreign& instance,
                      const jsonpointer::json_pointer& location,
                      const walk_reporter_type& reporter) const final {
    return reporter(keyword_name(), schema(), schema_location(), instance, location);
  }

  const Foreign of_;
};

template <>
inline std::unique_ptr<multiple_of_validator<Foreign>>
keyword_validator_factory<Foreign>::make_multiple_of_validator(
    const compilation_context<Foreign>& context, const Foreign& keyword, const Foreign& parent) {
  return std::make_unique<multiple_of_validator<Foreign>>(
      parent, context.make_schema_location("multipleOf"), context.get_custom_message("multipleOf"),
      keyword);
}

}  // namespace jsoncons::jsonschema
