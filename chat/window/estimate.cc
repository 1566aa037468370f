#include "chat/window/estimate.h"

#include <algorithm>
#include <cmath>

namespace toolway::chat::window {
namespace {

/// Of a message's role, of the id, name and quotes of a call or result.
constexpr std::size_t kPerMessage = 40;
constexpr std::size_t kPerCall = 120;
/// What any text can have; a server that counts otherwise counts something else.
constexpr double kMinTokensPerByte = 0.05;
constexpr double kMaxTokensPerByte = 1.5;

/// Of a native form, which is mostly one long text.
std::size_t native_bytes(const history::Part& part) {
  return part.kind == history::Part::Kind::kOpaque && part.native
             ? to_text(part.native->value).size()
             : 0;
}

}  // namespace

std::size_t sent_bytes(const history::Message& message) {
  std::size_t bytes = kPerMessage + message.text.size();
  for (const auto& part : message.parts) {
    bytes += part.text.size() + native_bytes(part);
    if (part.kind == history::Part::Kind::kCall)
      bytes += kPerCall + part.call.tool.size() + part.call.arguments.size();
  }
  for (const auto& result : message.results) bytes += kPerCall + result.text.size();
  return bytes;
}

std::uint64_t Estimate::tokens(std::size_t bytes) const {
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(bytes) * tokens_per_byte_));
}

std::size_t Estimate::bytes(std::uint64_t tokens) const {
  return static_cast<std::size_t>(static_cast<double>(tokens) / tokens_per_byte_);
}

void Estimate::learn(std::size_t bytes, std::uint64_t tokens) {
  if (bytes == 0 || tokens == 0) return;
  const auto seen = static_cast<double>(tokens) / static_cast<double>(bytes);
  tokens_per_byte_ = std::clamp(seen, kMinTokensPerByte, kMaxTokensPerByte);
}

}  // namespace toolway::chat::window
