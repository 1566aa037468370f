#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <stop_token>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/mutex.h"

namespace toolway {

/// How much text is parsed at once: a parsed value takes up to about 16 times its text, whatever
/// sent it. What is parsed waits its turn, first come first served; small texts do not count.
/// Thread-safe.
class ParseRoom {
 public:
  static constexpr std::size_t kSmall = 64UL << 10;  ///< bytes; what has fewer never waits
  explicit ParseRoom(std::size_t bytes) : bytes_(bytes) {}

  /// Room for one text, until its end.
  class Lease {
   public:
    Lease(ParseRoom* room, std::size_t bytes) : room_(room), bytes_(bytes) {}
    ~Lease() {
      if (room_ != nullptr) room_->leave(bytes_);
    }
    Lease(Lease&& other) noexcept
        : room_(std::exchange(other.room_, nullptr)), bytes_(other.bytes_) {}
    Lease& operator=(Lease&&) = delete;

   private:
    ParseRoom* room_;  // null: none was taken
    std::size_t bytes_;
  };
  /// Waits until there is room for `bytes`, or `stop` is requested; a text larger than the whole
  /// room gets all of it.
  Lease enter(std::size_t bytes, const std::stop_token& stop);

 private:
  void leave(std::size_t bytes);

  const std::size_t bytes_;
  Mutex mutex_;
  StoppableCondVar left_;
  std::size_t used_ GUARDED_BY(mutex_) = 0;
  std::uint64_t last_ GUARDED_BY(mutex_) = 0;
  std::list<std::uint64_t> waiting_ GUARDED_BY(mutex_);
};

/// The room of this process: 128 MiB.
ParseRoom& answer_room();

/// About how many values an answer of a tool may have: each takes memory, however short its text.
inline constexpr std::size_t kMaxAnswerValues = 4'000'000;

/// Parses what a tool has answered, in `answer_room`; may wait for it. Errors: kMalformedJson;
/// kPayloadTooLarge (more than about kMaxAnswerValues values).
Result<Json> parse_answer(std::string_view text, const std::stop_token& stop = {});

}  // namespace toolway
