#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace toolway::gateway::live {

/// Puts what the server republishes back into the order of its stream. The server stores
/// messages one after the other, but sends them on outside that lock: with several
/// publishers, sequence n + 1 may come before n. (nats-server, stream.go; seen here with two
/// workers, about one message in a hundred.) Since all of the stream is followed, every
/// sequence must come, and a missing one is noticed. Pure; for one thread.
class LiveOrder {
 public:
  using Handler = std::function<void(std::string_view subject, std::string_view payload,
                                     std::uint64_t sequence)>;
  static constexpr std::size_t kMaxWaiting = 20'000;
  static constexpr std::size_t kMaxWaitingBytes = 16 * 1024 * 1024;
  /// A message that is this late was dropped on its way.
  static constexpr std::chrono::milliseconds kHoleTimeout{500};
  /// Before the stream's end is asked for again, where it could not be found out.
  static constexpr std::chrono::milliseconds kRetryDelay{200};

  explicit LiveOrder(Handler handler) : handler_(std::move(handler)) {}

  /// What comes is kept until `begin_after`.
  void hold();
  /// Everything up to `last` is left to the record; hands on what waits after it, in order.
  void begin_after(std::uint64_t last);

  void add(std::string_view subject, std::string_view payload, std::uint64_t sequence);

  /// Whether something is missing before what waits.
  bool has_hole() const { return begun_ && !waiting_.empty(); }
  /// Whether what is missing will not come: it is missing for kHoleTimeout, too much waits, or the
  /// stream was made again. Asked regularly: time counts from the first question that finds a hole.
  bool lost(MonotonicTime now);

 private:
  struct Message {
    std::string subject;
    std::string payload;
  };
  void hand_on();
  void drop_oldest();
  bool too_much() const {
    return waiting_.size() > kMaxWaiting || waiting_bytes_ > kMaxWaitingBytes;
  }

  const Handler handler_;
  bool begun_ = false;
  bool anew_ = false;
  bool overflowed_ = false;  ///< what came since is left to the record
  std::optional<MonotonicTime> hole_since_;
  std::uint64_t next_ = 0;
  std::size_t waiting_bytes_ = 0;
  std::map<std::uint64_t, Message> waiting_;  // by sequence, all after next_
};

}  // namespace toolway::gateway::live
