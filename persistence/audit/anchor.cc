#include "persistence/audit/anchor.h"

#include <fmt/format.h>

#include "base/sha256.h"
#include "base/text.h"

namespace toolway::persistence::audit {

std::string text_of(const Anchor& anchor) {
  if (anchor.number == 0) return "0";
  auto text = fmt::format("{}:", anchor.number);
  append_hex(text, {reinterpret_cast<const unsigned char*>(anchor.mac.data()), anchor.mac.size()});
  return text;
}

Result<Anchor> parse_anchor(std::string_view text) {
  Anchor anchor;
  if (text == "0") return anchor;
  const auto colon = text.find(':');
  const auto digits = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  bool good = digits.size() == 2 * Sha256::kBytes &&
              parse_number(text.substr(0, colon), anchor.number) && anchor.number >= 1;
  for (std::size_t i = 0; good && i < digits.size(); i += 2) {
    const auto high = hex_digit(digits[i]);
    const auto low = hex_digit(digits[i + 1]);
    good = high && low;
    if (good) anchor.mac.push_back(static_cast<char>(*high << 4U | *low));
  }
  if (good) return anchor;
  return fail(ErrorCode::kInvalidRequest,
              "a last seal is NUMBER:MAC, as `toolway audit verify` prints it");
}

}  // namespace toolway::persistence::audit
