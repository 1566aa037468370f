#include "base/answer_json.h"

#include <fmt/format.h>

#include <algorithm>

namespace toolway {
namespace {

constexpr std::size_t kRoomBytes = 128UL << 20;

/// Never fewer than there are: one after each comma and each opening bracket.
std::size_t values_at_most(std::string_view text) {
  std::size_t count = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      i = skip_json_string(text, i) - 1;
    } else if (c == ',' || c == '[' || c == '{') {
      ++count;
    }
  }
  return count;
}

}  // namespace

ParseRoom::Lease ParseRoom::enter(std::size_t bytes, const std::stop_token& stop) {
  if (bytes < kSmall) return {nullptr, 0};
  bytes = std::min(bytes, bytes_);
  MutexLock lock(mutex_);
  const auto number = ++last_;
  waiting_.push_back(number);
  const bool came = left_.wait(lock, stop, [&]() REQUIRES(mutex_) {
    return waiting_.front() == number && used_ + bytes <= bytes_;
  });
  waiting_.remove(number);
  if (came) used_ += bytes;
  left_.notify_all();  // the next one may fit too
  return {came ? this : nullptr, bytes};
}

void ParseRoom::leave(std::size_t bytes) {
  const MutexLock lock(mutex_);
  used_ -= bytes;
  left_.notify_all();
}

ParseRoom& answer_room() {
  static ParseRoom room(kRoomBytes);
  return room;
}

Result<Json> parse_answer(std::string_view text, const std::stop_token& stop) {
  if (const auto values = values_at_most(text); values > kMaxAnswerValues) {
    return fail(ErrorCode::kPayloadTooLarge,
                fmt::format("it has about {} values; the limit is {}", values, kMaxAnswerValues));
  }
  const auto room = answer_room().enter(text.size(), stop);
  return parse_json(text);
}

}  // namespace toolway
