#include "tools/executors/python/frame.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace toolway::tools::executors::python {
namespace {

constexpr std::size_t kHead = 5;
constexpr std::size_t kRead = 64 * 1024;

/// How long a frame of this kind may be; nothing when no interpreter sends it.
std::optional<std::size_t> largest(char kind, std::size_t largest_result) {
  switch (static_cast<FrameKind>(kind)) {
    case FrameKind::kResult: return largest_result + 32;
    case FrameKind::kError:
    case FrameKind::kAsk:
    case FrameKind::kContent:
    case FrameKind::kProgress: return std::size_t{2} << 20;
    case FrameKind::kLog: return 64 * 1024;
    case FrameKind::kSecret:
    case FrameKind::kHello:
    case FrameKind::kRecycle:
    case FrameKind::kStale: return 4096;
    case FrameKind::kOptions:
    case FrameKind::kCall:
    case FrameKind::kCancel: break;
  }
  return std::nullopt;
}

}  // namespace

std::string encode_frame(FrameKind kind, std::string_view payload) {
  const auto size = static_cast<std::uint32_t>(payload.size());
  std::string out;
  out.reserve(kHead + payload.size());
  for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<char>(size >> shift));
  out.push_back(static_cast<char>(kind));
  out.append(payload);
  return out;
}

char* Inbox::space() {
  if (taken_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + taken_, filled_ - taken_);
    filled_ -= taken_;
    taken_ = 0;
  }
  // Grows with what came, not with what was announced.
  if (buffer_.size() < filled_ + kRead) {
    buffer_.resize(std::max(filled_ + kRead, std::min(wanted_ + kRead, 2 * filled_)));
  }
  return buffer_.data() + filled_;
}

std::size_t Inbox::room() const { return buffer_.size() - filled_; }

Inbox::State Inbox::next(std::size_t largest_result, Frame& frame) {
  const std::size_t have = filled_ - taken_;
  if (have < kHead) return State::kIncomplete;
  const auto* head = reinterpret_cast<const unsigned char*>(buffer_.data() + taken_);
  const std::size_t size = (std::size_t{head[0]} << 24) | (std::size_t{head[1]} << 16) |
                           (std::size_t{head[2]} << 8) | std::size_t{head[3]};
  const auto allowed = largest(static_cast<char>(head[4]), largest_result);
  if (!allowed || size > *allowed) return State::kGarbage;
  wanted_ = kHead + size;
  if (have < wanted_) return State::kIncomplete;
  frame = {static_cast<FrameKind>(head[4]), std::string_view(buffer_).substr(taken_ + kHead, size)};
  taken_ += wanted_;
  wanted_ = 0;
  return State::kFrame;
}

void Inbox::trim() {
  if (empty()) taken_ = filled_ = 0;
  if (empty() && buffer_.size() > 16 * kRead) buffer_ = std::string();
}

}  // namespace toolway::tools::executors::python
