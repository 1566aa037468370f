// All of JSON's readers, compiled together with more inlining than elsewhere (CMakeLists.txt): each
// byte of a text passes through several functions of nlohmann's, and as calls they take as long
// again as the reading.
#include <unordered_map>
#include <vector>

#include "base/json.h"
#include "base/json_builder.h"
#include "base/ordered_object.h"
#include "base/strict_json.h"

namespace toolway {
namespace {

/// A key that comes again overwrites, as with nlohmann's reader.
struct Members {
  void opened(std::size_t) {}
  Json* add(Json::object_t& object, std::size_t, std::string& name) {
    return &object.try_emplace(std::move(name)).first->second;
  }
};

/// Refuses a key that an object has already.
struct UniqueMembers {
  void opened(std::size_t) {}
  Json* add(Json::object_t& object, std::size_t, std::string& name) {
    const auto [member, is_new] = object.try_emplace(name);
    return is_new ? &member->second : nullptr;
  }
};

/// A key that comes again overwrites. nlohmann's reader looks through all members for each key: an
/// object with 80,000 keys would take seconds.
class OrderedMembers {
 public:
  void opened(std::size_t depth) {
    if (places_.size() >= depth) places_[depth - 1].clear();
  }
  OrderedJson* add(OrderedJson::object_t& object, std::size_t depth, std::string& name) {
    make_room(object);
    if (object.size() < kMaxSearched) return &object[name];
    if (places_.size() < depth) places_.resize(depth);
    auto& places = places_[depth - 1];
    if (places.empty())
      for (const auto& [key, value] : object) places.emplace(key, places.size());
    const auto [place, is_new] = places.try_emplace(name, object.size());
    if (is_new) object.emplace_back(std::move(name), nullptr);
    return &object.data()[place->second].second;
  }

 private:
  static constexpr std::size_t kMaxSearched = 32;
  /// Of the open object of each depth, once it has many members.
  std::vector<std::unordered_map<std::string, std::size_t>> places_;
};

}  // namespace

Result<Json> parse_json(std::string_view text, std::size_t max_depth) {
  return JsonBuilder<Json, Members>::parse(text, max_depth);
}

Result<OrderedJson> parse_ordered_json(std::string_view text, std::size_t max_depth) {
  return JsonBuilder<OrderedJson, OrderedMembers>::parse(text, max_depth);
}

Result<Json> parse_strict_json(std::string_view text, std::size_t max_depth) {
  return JsonBuilder<Json, UniqueMembers>::parse(text, max_depth);
}

}  // namespace toolway
