#include "base/strict_json.h"

#include <fmt/format.h>

#include <vector>

#include "base/json_error.h"

namespace toolway {
namespace {

/// Builds the value as nlohmann's own reader does, and checks that a key is new where that one
/// would overwrite.
class StrictBuilder {
 public:
  explicit StrictBuilder(std::size_t max_depth) : max_depth_(max_depth) {}

  // What nlohmann's reader calls.
  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(Json::number_integer_t value) { return put(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return put(value); }
  bool number_float(Json::number_float_t value, const std::string&) { return put(value); }
  bool string(std::string& value) { return put(std::move(value)); }
  bool binary(Json::binary_t&) { return false; }  // JSON has none
  bool start_object(std::size_t) { return open(Json::value_t::object); }
  bool start_array(std::size_t) { return open(Json::value_t::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    auto& object = open_.back()->get_ref<Json::object_t&>();
    const auto [member, is_new] = object.try_emplace(std::move(name));
    if (!is_new) {
      error_ = fmt::format("the key {} appears twice{}",
                           to_text(Json(member->first.substr(0, kShown))), place());
      return false;
    }
    member_ = &member->second;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
    error_ = json_error_text(error);
    return false;
  }

  Json take() { return std::move(root_); }
  std::string& error() { return error_; }

 private:
  static constexpr std::size_t kShown = 64;

  template <typename Value>
  Json* place_value(Value&& value) {
    if (open_.empty()) {
      root_ = std::forward<Value>(value);
      return &root_;
    }
    if (auto* array = open_.back()->get_ptr<Json::array_t*>())
      return &array->emplace_back(std::forward<Value>(value));
    *member_ = std::forward<Value>(value);
    return member_;
  }
  template <typename Value>
  bool put(Value&& value) {
    place_value(std::forward<Value>(value));
    return true;
  }
  bool open(Json::value_t type) {
    if (open_.size() >= max_depth_) {
      error_ = fmt::format("JSON is nested more than {} levels deep", max_depth_);
      return false;
    }
    open_.push_back(place_value(Json(type)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  /// Where the innermost open object is, for people; nothing at the top.
  std::string place() const {
    std::string pointer;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
      if (open_[i]->is_array()) {
        pointer += fmt::format("/{}", open_[i]->size() - 1);
        continue;
      }
      for (const auto& [name, value] : open_[i]->get_ref<const Json::object_t&>()) {
        if (&value == open_[i + 1]) pointer += "/" + to_text(Json(name.substr(0, kShown)));
      }
    }
    std::erase(pointer, '"');
    return pointer.empty() ? "" : " in " + pointer;
  }

  const std::size_t max_depth_;
  Json root_;
  std::vector<Json*> open_;  ///< none moves while it is open: only its last child grows
  Json* member_ = nullptr;
  std::string error_;
};

}  // namespace

Result<Json> parse_strict_json(std::string_view text, std::size_t max_depth) {
  // The reader takes a NUL for the end. JSON allows none anywhere.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    return fail(ErrorCode::kMalformedJson, nul_error_text(nul));
  }
  StrictBuilder builder(max_depth);
  if (!Json::sax_parse(text.begin(), text.end(), &builder))
    return fail(ErrorCode::kMalformedJson, std::move(builder.error()));
  return builder.take();
}

}  // namespace toolway
