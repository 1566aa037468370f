#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace toolway::cli {

struct SseEvent {
  std::string id;
  std::string type;
  std::string data;
};

/// Server-sent events from bytes as they come, cut anywhere (HTML standard, 9.2.6).
/// Comments and events without data are skipped.
class SseParser {
 public:
  explicit SseParser(std::function<void(const SseEvent&)> handler) : handler_(std::move(handler)) {}
  void feed(std::string_view bytes);
  /// Of the last event that was complete: what a reconnect names.
  const std::string& last_id() const { return last_id_; }

 private:
  void line(std::string_view text);

  std::function<void(const SseEvent&)> handler_;
  std::string buffer_;
  std::string last_id_;
  SseEvent event_;
};

}  // namespace toolway::cli
