#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "mcp/client_messages.h"
#include "mcp/negotiation.h"
#include "tools/executors/mcp_client/tool_listing.h"

namespace toolway::tools::executors::mcp_client {

/// The conversation with one process, from its first message to its last: agrees on a revision,
/// lists the tools and follows changes of the list, and sorts out what comes. Decides only: lines
/// and times go in, lines and facts come out. One thread at a time.
class StdioSession {
 public:
  struct Options {
    mcp::Implementation client;
    mcp::MessageBounds bounds{};
    std::chrono::milliseconds start_timeout{60'000};
    /// How the process before this one began; nothing: not known.
    std::optional<mcp::Opening> opening{};
    /// What it may ask, of all its calls together, where a handshake says so.
    mcp::ClientCapabilities asks{};
  };

  struct Answered {
    std::int64_t id;
    tl::expected<Json, mcp::RpcError> result;
  };
  /// What came that is not a message; `id`: of the request whose answer it seems to be.
  struct Nonsense {
    std::optional<std::int64_t> id;
    std::string what;
  };
  /// What one line, or some time, has led to.
  struct Turn {
    std::vector<std::string> send{};  ///< lines, without their line breaks
    std::vector<std::string>
        replies{};                    ///< likewise: to what the server asked, as often as it asks
    std::vector<Answered> answers{};  ///< to requests that `call` made
    std::vector<mcp::ProgressNotification> progress{};
    std::vector<mcp::Request> asked{};        ///< questions, for one of its calls
    std::vector<mcp::RequestId> withdrawn{};  ///< of what it asked
    std::optional<Nonsense> nonsense{};
    std::optional<ListedTools> listed{};
    std::optional<std::string> unlisted{};  ///< its tools cannot be listed now; why
    /// It has said nothing of use yet, for this long: told after kFirstWord, and each time that
    /// this time has doubled.
    std::optional<std::chrono::seconds> starting{};
    bool ready = false;                   ///< from now on `call` may be used
    std::optional<std::string> failed{};  ///< the server is unusable; why
    std::vector<std::string> warnings{};  ///< for the log
  };

  /// A changed list is read again at most this often, after the first one.
  static constexpr std::chrono::seconds kListInterval{1};
  static constexpr std::chrono::seconds kFirstWord{5};

  explicit StdioSession(Options options) : options_(std::move(options)) {}

  Turn begin(MonotonicTime now);
  Turn take(std::string_view line, MonotonicTime now);
  Turn take_too_long(std::string_view beginning, std::size_t bytes, MonotonicTime now);
  Turn pass(MonotonicTime now);
  /// Call it before each of them: whether all lines of `send` so far have been written.
  /// Until then it is asked for no list, and is unusable when it answers what it has yet to read.
  void all_written(bool all) { all_written_ = all; }
  /// When to call `pass`.
  MonotonicTime next_time() const { return std::min(deadline_, next_word_); }

  bool ready() const { return messages_.has_value(); }
  mcp::Revision revision() const { return messages_->revision(); }
  /// How this process began; nothing: not known yet. A process that ends while it is asked for a
  /// revision of today is taken for an old one, unless it has refused the handshake of the old
  /// ones.
  std::optional<mcp::Opening> opening() const;

  struct Sent {
    std::int64_t id;
    std::string line;
  };
  Sent call(const mcp::ToolCall& call);
  std::string cancel(std::int64_t id, std::string_view reason) const;

 private:
  enum class Phase { kProbing, kShaking, kReady, kFailed };

  void probe(MonotonicTime now, Turn& turn);
  void shake(mcp::Revision revision, MonotonicTime now, Turn& turn);
  /// An answer to `server/discover`, in time or late.
  void discovered(const mcp::Answer& answer, MonotonicTime now, Turn& turn);
  void initialized(const mcp::Answer& answer, MonotonicTime now, Turn& turn);
  void give_up(std::string why, Turn& turn);
  /// The same of a server that let its time pass: with what it said instead of an answer.
  void run_out(std::string why, Turn& turn);
  void agree(mcp::Agreed agreed, MonotonicTime now, Turn& turn);
  void list(MonotonicTime now, Turn& turn);
  /// The same, where the list has changed: now, or once it may.
  void list_again(MonotonicTime now, Turn& turn);
  void give_up_list(std::string why, MonotonicTime now, Turn& turn);
  void page(std::string_view line, const mcp::Answer& answer, MonotonicTime now, Turn& turn);
  void answered(std::string_view line, mcp::Answer answer, MonotonicTime now, Turn& turn);
  void notified(const mcp::Notification& notification, MonotonicTime now, Turn& turn);
  void asked(const mcp::Request& request, Turn& turn);
  void sent_nonsense(Nonsense nonsense, MonotonicTime now, Turn& turn);
  /// For the log; before it is ready it may also be the reason why it never is.
  void warn(std::string text, Turn& turn);
  bool starting() const { return phase_ == Phase::kProbing || phase_ == Phase::kShaking; }
  std::int64_t next_id() { return ++last_id_; }

  const Options options_;
  Phase phase_ = Phase::kProbing;
  MonotonicTime deadline_ = MonotonicTime::max();
  MonotonicTime begun_{};
  MonotonicTime next_word_ = MonotonicTime::max();  // that it is starting
  std::string strange_;                             // the last thing that came instead of an answer
  std::int64_t last_id_ = 0;
  bool probed_ = false;             // server/discover was sent
  std::int64_t discover_id_ = 0;    // 0: none is unanswered
  std::int64_t initialize_id_ = 0;  // 0: none is unanswered
  std::string refusal_;             // of initialize, by a server that speaks a revision of today
  std::optional<mcp::ClientMessages> messages_;
  mcp::Implementation server_;
  std::optional<ToolListing> listing_;  // in progress
  std::int64_t listing_id_ = 0;
  bool list_again_ = false;
  MonotonicTime list_again_at_ = MonotonicTime::min();  // not before
  bool all_written_ = true;
  std::int64_t listen_id_ = 0;
  std::optional<mcp::Opening> opening_;
};

}  // namespace toolway::tools::executors::mcp_client
