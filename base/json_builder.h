#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/json_error.h"
#include "base/result.h"

namespace toolway {

/// Builds a value as nlohmann's own reader does, with a bound on its depth. `Members` says what a
/// key does: `opened(depth)` begins an object, and `add(object, depth, name)` gives the place of a
/// member's value, or null when the object may not have that key again.
template <typename J, typename Members>
class JsonBuilder {
 public:
  explicit JsonBuilder(std::size_t max_depth) : max_depth_(max_depth) {}

  /// Errors: kMalformedJson, with the byte offset, or the key and where its object is.
  static Result<J> parse(std::string_view text, std::size_t max_depth) {
    // The reader takes a NUL for the end. JSON allows none anywhere.
    if (const auto nul = text.find('\0'); nul != std::string_view::npos)
      return fail(ErrorCode::kMalformedJson, nul_error_text(nul));
    JsonBuilder builder(max_depth);
    if (!J::sax_parse(ByteIterator{text.data()}, ByteIterator{text.data() + text.size()}, &builder))
      return fail(ErrorCode::kMalformedJson, std::move(builder.error_));
    return std::move(builder.root_);
  }

  // What nlohmann's reader calls.
  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(typename J::number_integer_t value) { return put(value); }
  bool number_unsigned(typename J::number_unsigned_t value) { return put(value); }
  bool number_float(typename J::number_float_t value, const std::string&) { return put(value); }
  bool string(std::string& value) { return put(std::move(value)); }
  bool binary(typename J::binary_t&) { return false; }  // JSON has none
  bool start_object(std::size_t) {
    if (!open(J::value_t::object)) return false;
    members_.opened(open_.size());
    return true;
  }
  bool start_array(std::size_t) { return open(J::value_t::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    auto& object = open_.back()->template get_ref<typename J::object_t&>();
    member_ = members_.add(object, open_.size(), name);
    if (member_ == nullptr)
      error_ = fmt::format("the key {} appears twice{}", shown(name), place());
    return member_ != nullptr;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
    error_ = json_error_text(error);
    return false;
  }

 private:
  /// A byte of the text. It makes nlohmann's reader a template of `Members` too: a file that has
  /// its own is sure to use what was compiled there.
  struct ByteIterator {
    using iterator_category = std::forward_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    const char* at = nullptr;

    reference operator*() const { return *at; }
    ByteIterator& operator++() {
      ++at;
      return *this;
    }
    ByteIterator operator++(int) { return {at++}; }
    bool operator==(const ByteIterator&) const = default;
  };

  template <typename Value>
  J* place_value(Value&& value) {
    if (open_.empty()) {
      root_ = std::forward<Value>(value);
      return &root_;
    }
    if (auto* array = open_.back()->template get_ptr<typename J::array_t*>())
      return &array->emplace_back(std::forward<Value>(value));
    *member_ = std::forward<Value>(value);
    return member_;
  }
  template <typename Value>
  bool put(Value&& value) {
    place_value(std::forward<Value>(value));
    return true;
  }
  bool open(typename J::value_t type) {
    if (open_.size() >= max_depth_) {
      error_ = fmt::format("JSON is nested more than {} levels deep", max_depth_);
      return false;
    }
    open_.push_back(place_value(J(type)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  static std::string shown(const std::string& name) {
    constexpr std::size_t kShown = 64;
    return to_text(J(name.substr(0, kShown)));
  }

  /// Where the innermost open object is, for people; nothing at the top.
  std::string place() const {
    std::string pointer;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
      if (open_[i]->is_array()) {
        pointer += fmt::format("/{}", open_[i]->size() - 1);
        continue;
      }
      for (const auto& [name, value] : open_[i]->template get_ref<const typename J::object_t&>()) {
        if (&value == open_[i + 1]) pointer.append("/").append(shown(name));
      }
    }
    std::erase(pointer, '"');
    return pointer.empty() ? "" : " in " + pointer;
  }

  const std::size_t max_depth_;
  J root_;
  std::vector<J*> open_;  ///< none moves while it is open: only its last child grows
  J* member_ = nullptr;
  Members members_;
  std::string error_;
};

}  // namespace toolway
