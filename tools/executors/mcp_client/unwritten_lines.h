#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tools/executors/mcp_client/replies.h"

namespace toolway::tools::executors::mcp_client {

/// What waits to be written to a server's standard input, in order. Bounded: a server that does not
/// read gets no more calls, one that asks and does not read the replies is unusable, and of the
/// link's own requests a session makes none while one of them waits. The caller locks.
class UnwrittenLines {
 public:
  static constexpr std::size_t kMaxBytes = 64 * 1024 * 1024;

  struct Line {
    std::string text;
    std::optional<std::int64_t> call{};  ///< whose request it is
    bool reply = false;                  ///< to what the server asked
    bool own = false;                    ///< of the link itself, not of a call
  };

  bool empty() const { return lines_.empty(); }
  /// No more calls: it does not read.
  bool full() const { return bytes_ > kMaxBytes; }

  void add(std::string text, std::optional<std::int64_t> call = std::nullopt) {
    add(Line{std::move(text), call});
  }
  /// A request, or a notification, of the link itself.
  void add_own(std::string text) { add(Line{.text = std::move(text), .own = true}); }
  /// Whether the server has not been written all of those yet.
  bool own_waits() const { return own_ > 0; }
  /// False, and not added: too many replies wait already.
  [[nodiscard]] bool add_reply(std::string text) {
    if (reply_bytes_ + text.size() >= kMaxUnreadReplies) return false;
    add(Line{.text = std::move(text), .reply = true});
    return true;
  }

  /// The first one, to be written; it counts until `written`, or is put back.
  Line take() {
    Line line = std::move(lines_.front());
    lines_.pop_front();
    return line;
  }
  void put_back(Line line) { lines_.push_front(std::move(line)); }
  void written(const Line& line) {
    bytes_ -= line.text.size();
    if (line.reply) reply_bytes_ -= line.text.size();
    if (line.own) --own_;
  }

  /// Forgets all; the calls of which nothing was written. `begun`: some of the first line was.
  std::set<std::int64_t> forget(bool begun) {
    if (begun && !lines_.empty()) lines_.pop_front();
    std::set<std::int64_t> unsent;
    for (const auto& line : lines_) {
      if (line.call) unsent.insert(*line.call);
    }
    lines_.clear();
    bytes_ = reply_bytes_ = own_ = 0;
    return unsent;
  }

 private:
  void add(Line line) {
    line.text += '\n';
    bytes_ += line.text.size();
    if (line.reply) reply_bytes_ += line.text.size();
    if (line.own) ++own_;
    lines_.push_back(std::move(line));
  }

  std::deque<Line> lines_;
  std::size_t bytes_ = 0;
  std::size_t reply_bytes_ = 0;  // of bytes_
  std::size_t own_ = 0;          // lines
};

}  // namespace toolway::tools::executors::mcp_client
