#include "chat/providers/quoted.h"

#include <bitset>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace toolway::chat::providers {
namespace {

/// What is compared: 8 bytes, in one number.
constexpr std::size_t kBytes = sizeof(std::uint64_t);
constexpr std::string_view kLeftOut = "[…]";

/// Words have one line, and may have another case.
std::uint64_t plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte < 0x20 || byte == 0x7f) return ' ';
  return byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte;
}

/// Calls `take` with each 8 bytes that follow each other, and where they begin.
template <typename Take>
void each_window(std::string_view text, Take take) {
  std::uint64_t window = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    window = window << 8U | plain(text[i]);
    if (i + 1 >= kBytes) take(window, i + 1 - kBytes);
  }
}

/// The words, and which of their bytes are quoted.
class Quoted {
 public:
  explicit Quoted(std::string_view words) : words_(words), quoted_(words.size()) {
    each_window(words, [this](std::uint64_t window, std::size_t at) {
      places_[window].push_back(at);
      likely_.set(slot(window));
    });
  }

  void find_in(std::string_view text) {
    each_window(text, [this](std::uint64_t window, std::size_t) {
      if (!likely_.test(slot(window))) return;
      const auto found = places_.find(window);
      if (found == places_.end()) return;
      for (const auto at : found->second) leave_out(at);
      // Each is found once: a text of one letter is as long as any other.
      places_.erase(found);
    });
  }

  std::string without() const {
    std::string left;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (!quoted_[i])
        left += words_[i];
      else if (!left.ends_with(kLeftOut))
        left += kLeftOut;
    }
    return left;
  }

 private:
  /// Whole characters.
  void leave_out(std::size_t begin) {
    const auto inside = [this](std::size_t at) {
      return at < words_.size() && (static_cast<unsigned char>(words_[at]) & 0xC0U) == 0x80U;
    };
    auto end = begin + kBytes;
    while (begin > 0 && inside(begin)) --begin;
    while (inside(end)) ++end;
    for (; begin < end; ++begin) quoted_[begin] = true;
  }

  static constexpr std::size_t kSlots = 1U << 14U;
  static std::size_t slot(std::uint64_t window) {
    return window * 0x9E3779B97F4A7C15U >> 50U;  // Fibonacci hashing to 14 bits
  }

  const std::string_view words_;
  std::vector<bool> quoted_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> places_;
  std::bitset<kSlots> likely_;  ///< most of what is in no words is seen here
};

}  // namespace

std::string without_quotes(std::string_view words, const tools::messages::Selection& messages) {
  Quoted quoted(words);
  for (const auto* message : messages) {
    quoted.find_in(message->text);
    for (const auto& part : message->parts) {
      quoted.find_in(part.text);
      quoted.find_in(part.call.arguments);
    }
    for (const auto& result : message->results) quoted.find_in(result.text);
  }
  return quoted.without();
}

}  // namespace toolway::chat::providers
