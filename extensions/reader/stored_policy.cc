#include "extensions/reader/stored_policy.h"

#include <fmt/format.h>

#include "base/strict_object.h"
#include "base/try.h"

namespace toolway::extensions::reader {

std::string encode(const StoredPolicy& policy) {
  return to_text(OrderedJson{
      {"number", policy.number}, {"by", policy.by}, {"at", policy.at}, {"text", policy.text}});
}

Result<StoredPolicy> decode_policy(std::string_view value) {
  const auto json = parse_json(value);
  if (!json) return fail(ErrorCode::kInvalidSpec, "the entry in bucket policies is not JSON");
  Mistakes mistakes;
  StrictObject<Json> fields(*json, mistakes);
  StoredPolicy policy;
  fields.whole("number", policy.number, {1, std::numeric_limits<std::uint64_t>::max()});
  fields.text("by", policy.by);
  fields.text("at", policy.at);
  fields.text("text", policy.text);
  if (json->is_object() && !json->contains("text")) fields.wrong("text", "is missing");
  if (mistakes.count() > 0)
    return fail(ErrorCode::kInvalidSpec, "the entry in bucket policies cannot be read: " +
                                             std::move(mistakes).take().front().text());
  return policy;
}

std::string version_key(std::uint64_t number) {
  return fmt::format("version.{}", number % kKeptVersions);
}

}  // namespace toolway::extensions::reader
