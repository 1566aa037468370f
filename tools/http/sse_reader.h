#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tools/http/line_splitter.h"

namespace toolway::tools::http {

struct SseEvent {
  std::string id;    ///< empty: it has none of its own
  std::string type;  ///< empty: `message`
  std::string data;
};

/// Server-sent events from bytes as they come, cut anywhere (HTML standard, 9.2.6).
/// Comments and events without data are skipped. Pure; one thread.
class SseReader {
 public:
  /// `max_event_bytes`: of one event's data, and of one line.
  explicit SseReader(std::function<void(const SseEvent&)> handler,
                     std::size_t max_event_bytes = 16UL << 20)
      : handler_(std::move(handler)),
        max_(max_event_bytes),
        lines_(LineSplitter::Ends::kLfCrOrBoth, max_event_bytes) {}
  /// Errors: kPayloadTooLarge; feed nothing more then.
  Result<void> feed(std::string_view bytes);
  /// Of the last event that was complete: what a reconnect names.
  const std::string& last_id() const { return last_id_; }
  /// How long the server wants a reconnect to wait.
  std::optional<std::chrono::milliseconds> retry() const { return retry_; }

 private:
  Result<void> line(std::string_view text);

  std::function<void(const SseEvent&)> handler_;
  const std::size_t max_;
  LineSplitter lines_;
  std::string last_id_;
  std::optional<std::chrono::milliseconds> retry_;
  SseEvent event_;
  bool has_data_ = false;
  bool first_ = true;
};

}  // namespace toolway::tools::http
