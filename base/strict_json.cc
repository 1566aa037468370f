#include "base/strict_json.h"

#include "base/json_builder.h"

namespace toolway {
namespace {

/// Refuses a key that an object has already, where nlohmann's reader overwrites.
struct UniqueMembers {
  void opened(std::size_t) {}
  Json* add(Json::object_t& object, std::size_t, std::string& name) {
    const auto [member, is_new] = object.try_emplace(name);
    return is_new ? &member->second : nullptr;
  }
};

}  // namespace

Result<Json> parse_strict_json(std::string_view text, std::size_t max_depth) {
  return JsonBuilder<Json, UniqueMembers>::parse(text, max_depth);
}

}  // namespace toolway
