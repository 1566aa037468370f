#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/token_bucket.h"
#include "proto/toolway/v1/call.pb.h"
#include "tools/model/tool.h"

namespace toolway::workers::log {

/// What an attempt has reported and its log does not have yet: merged while it
/// waits, and capped. Owned by the call's log; not thread-safe.
class Backlog {
 public:
  static constexpr TokenBucket::Rate kProgressRate{.burst = 20, .per_second = 20};
  static constexpr double kLogsPerSecond = 100;
  static constexpr std::size_t kMaxBytes = 4 * 1024 * 1024;  ///< of a call, in all
  static constexpr std::size_t kMaxEventData = 128 * 1024;   ///< up to which data is merged
  static constexpr std::size_t kMaxReportData = 256 * 1024;  ///< of one report
  static constexpr std::size_t kMaxText = 16 * 1024;         ///< of a message
  static constexpr std::size_t kMaxEntries = 32;             ///< then also merged out of order

  struct Entry {
    std::variant<v1::Progress, v1::Log> body;
    /// The data of a progress as list elements, comma-separated.
    std::string elements{};
    /// Whether to show `elements` as a list: it was one, or it was merged.
    bool list = false;
  };

  explicit Backlog(TokenBucket::Rate progress = kProgressRate) : progress_rate_(progress) {}

  void add(tools::model::ProgressReport report);
  void add(tools::model::LogLevel level, std::string message);

  bool empty() const { return entries_.empty(); }
  /// More data waits than the log should lag: the tool should wait.
  bool full() const { return waiting_bytes_ > 2 * kMaxEventData; }

  /// The oldest entry, ready to be written, if its rate allows it at `now`.
  std::optional<Entry> take(MonotonicTime now);
  /// The oldest entry, whatever its rate: what precedes a completion.
  std::optional<Entry> take_last_words();
  /// When `take` will have something; max when nothing waits.
  MonotonicTime ready_at(MonotonicTime now);
  /// Puts back in front what was taken but not stored.
  void put_back(Entry entry);
  /// Merges all that waits into at most a few entries: the attempt has ended.
  void compact();
  void clear();

  /// One that was taken cannot be written.
  void count_dropped() { ++dropped_; }
  /// Reports dropped because of kMaxBytes or kMaxReportData, or that the bus does not accept.
  std::uint64_t dropped() const { return dropped_; }

 private:
  bool afford(std::size_t bytes);
  bool merge(Entry& into, Entry& next) const;
  void push(Entry entry);
  std::optional<Entry> take_front();

  std::deque<Entry> entries_;
  TokenBucket progress_rate_;
  TokenBucket log_rate_{{.burst = kLogsPerSecond, .per_second = kLogsPerSecond}};
  std::size_t waiting_bytes_ = 0;
  std::size_t total_bytes_ = 0;
  std::uint64_t dropped_ = 0;
};

/// `text` as a protobuf string may hold it: UTF-8, at most `max_bytes`.
std::string clean_text(std::string text, std::size_t max_bytes);

}  // namespace toolway::workers::log
