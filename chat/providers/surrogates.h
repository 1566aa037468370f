#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "chat/providers/provider.h"

/// JSON escapes an emoji as two surrogates, and some servers cut a text between them: one event has
/// "\ud83d", the next one "\ude00". What is read here keeps such a half as three bytes (WTF-8),
/// which no UTF-8 has, until its other half follows. Pure.
namespace toolway::chat::providers {

/// As parse_ordered_json, for texts that may have halves.
Result<OrderedJson> parse_with_halves(std::string_view text, std::size_t max_depth);

/// Adds a piece; two halves that meet are a character.
void append_text(std::string& text, std::string_view piece);

/// With U+FFFD for each half that is alone: nothing follows any more.
std::string without_halves(std::string text);
/// The same of all texts in a value.
void mend_halves(OrderedJson& value);

/// Tells a text piece by piece, in whole characters. One thread.
class WholeCharacters {
 public:
  explicit WholeCharacters(OnText tell) : tell_(std::move(tell)) {}
  void add(std::string_view piece);
  /// Nothing follows.
  void end();

 private:
  OnText tell_;
  std::string half_;
};

}  // namespace toolway::chat::providers
