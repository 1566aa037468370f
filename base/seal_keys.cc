#include "base/seal_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ids.h"
#include "base/sha256.h"
#include "base/text.h"

namespace toolway {
namespace {

constexpr std::size_t kMaxKeys = 100;

tl::unexpected<Error> wrong(std::size_t line, std::string_view what) {
  return fail(ErrorCode::kInvalidRequest,
              fmt::format("line {} of the file of seal keys {}: write an id, a blank and 64 hex "
                          "digits (`openssl rand -hex 32` makes them)",
                          line, what));
}

std::string bytes_of_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    const auto high = hex_digit(digits[i]);
    const auto low = hex_digit(digits[i + 1]);
    if (!high || !low) return {};
    bytes.push_back(static_cast<char>(*high << 4U | *low));
  }
  return bytes;
}

}  // namespace

Result<SealKeys> SealKeys::parse(std::string_view text) {
  SealKeys keys;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto said = trimmed(text.substr(0, end), " \t\r");
    text.remove_prefix(std::min(end + 1, text.size()));
    if (said.empty() || said.front() == '#') continue;
    const auto blank = std::min(said.find_first_of(" \t"), said.size());
    const auto id = said.substr(0, blank);
    const auto digits = trimmed(said.substr(blank));
    if (!valid_name(id)) return wrong(line, "has no id of [A-Za-z0-9_-]{1,64}");
    auto secret = digits.size() == 2 * kKeyBytes ? bytes_of_hex(digits) : std::string();
    if (secret.empty()) return wrong(line, "has no key of 64 hex digits");
    if (keys.find(id) != nullptr) return wrong(line, "has the id of a line above it");
    if (keys.keys_.size() == kMaxKeys) return wrong(line, "is one key too many");
    keys.keys_.push_back({std::string(id), std::move(secret)});
  }
  if (keys.keys_.empty())
    return fail(ErrorCode::kInvalidRequest,
                "the file of seal keys has no key: write a line with an id, a blank and 64 hex "
                "digits (`openssl rand -hex 32` makes them)");
  return keys;
}

std::string SealKeys::new_line(std::string_view id) {
  return fmt::format("{} {}\n", id, random_hex(kKeyBytes));
}

const SealKeys::Key* SealKeys::find(std::string_view id) const {
  const auto found = std::ranges::find(keys_, id, &Key::id);
  return found == keys_.end() ? nullptr : &*found;
}

std::string SealKeys::derived(const Key& key, std::string_view purpose) {
  return hmac_sha256(key.secret, purpose);
}

}  // namespace toolway
