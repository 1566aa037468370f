#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace toolway::persistence::postgres {

/// A value for $1 … of a statement. It is sent as text, and Postgres reads it as the type that the
/// statement asks for.
class SqlParameter {
 public:
  SqlParameter(std::nullopt_t) {}
  SqlParameter(std::string value) : text_(std::move(value)) {}
  SqlParameter(std::string_view value) : text_(value) {}
  SqlParameter(const char* value) : text_(value) {}
  template <std::integral Integer>
  SqlParameter(Integer value) : text_(std::to_string(value)) {}

  /// A bytea.
  static SqlParameter bytes(std::string_view value);
  /// An array of texts or integers.
  template <typename Elements>
  static SqlParameter array(const Elements& elements);

  /// Nothing: NULL.
  const std::optional<std::string>& text() const { return text_; }

 private:
  static void append_element(std::string& array, std::string_view element);

  std::optional<std::string> text_;
};

template <typename Elements>
SqlParameter SqlParameter::array(const Elements& elements) {
  std::string text;
  for (const auto& element : elements) {
    if constexpr (std::integral<std::remove_cvref_t<decltype(element)>>) {
      append_element(text, std::to_string(element));
    } else {
      append_element(text, element);
    }
  }
  return SqlParameter("{" + text + "}");
}

}  // namespace toolway::persistence::postgres
