#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "gateway/mcp/stream_id.h"
#include "gateway/wire/event_id.h"
#include "gateway/wire/event_stream.h"
#include "mcp/message.h"
#include "tools/http/sse_reader.h"

namespace toolway::gateway::mcp {

/// What the stream of one `tools/call` says of the call's events.
struct StreamedCall {
  Json progress_token{};    ///< null: no progress is shown
  std::string log_level{};  ///< the least severe that is shown; empty: no logs
  /// The answer that an event describes which completes the call.
  std::function<loop::Task<std::string>(Json completed)> answer;
  /// What follows from an event that asks, or of a held call: messages that ask the client, and
  /// then more events; or the answer, and nothing after it.
  struct AfterQuestion {
    struct Message {
      std::string text{};
      std::size_t questions = 0;  ///< those of the event that have been asked with it
    };
    std::vector<Message> messages{};
    bool ends = false;
  };
  /// `asked`: the event's first questions, which the client has been asked before.
  std::function<loop::Task<AfterQuestion>(Json event, std::size_t asked)> ask;
  /// What is said when an event has changed its task; empty: it is followed as none.
  std::function<loop::Task<std::string>()> status{};
  /// What follows when the client leaves before the answer; empty: nothing.
  std::function<loop::Task<void>()> left{};
  std::string stream_id{};  ///< what the ids of its events begin with; empty: they have none
  wire::EventId after{};    ///< where it begins
  ShownUpTo partly{};       ///< the event of which a part was shown before
  double shown = -1;        ///< the progress that it has shown before; negative: none
  /// Whether the call waits for approval, of one whose events before `after` said so or not; empty:
  /// `after` is its beginning.
  std::function<loop::Task<bool>()> held{};
  bool primes = false;  ///< the first event has an id and no data
  /// When its answer is `task` if no other has come; nothing: it waits.
  std::optional<MonotonicTime> task_at{};
  std::string task{};
};

/// The events of a call as JSON-RPC messages: progress and logs while it runs, then the answer,
/// and nothing after it. While the tool is silent, clients that want progress get some every 10 s,
/// so that they do not give up. On the io_context's thread.
class RpcStream final : public wire::EventStream {
  struct Event {
    std::string type;
    Json json;
  };

 public:
  RpcStream(std::unique_ptr<wire::EventStream> events, StreamedCall call, const Clock& clock);
  loop::Task<Turn> next(std::string& out) override;
  void stop() override { events_->stop(); }
  /// Its own: when it shows progress of a silent tool.
  void quiet_after(std::chrono::milliseconds) override {}
  loop::Task<void> left() override;

  /// Waits `soon` for the first message. The whole answer, when that is all there will be, and
  /// otherwise nothing: `next` begins with it. Call it once, before `next`.
  loop::Task<std::optional<std::string>> only_answer(std::chrono::milliseconds soon);

  /// Waits for the answer, `most` at most, and keeps what comes before it. Before the others.
  loop::Task<void> gather(std::chrono::milliseconds most);
  bool ended() const { return ended_; }
  /// Whether a question was what ended it.
  bool asked() const { return asked_; }

 private:
  loop::Task<Turn> take_some();
  /// How long to wait for the next event.
  std::chrono::milliseconds patience() const;
  loop::Task<void> take(Event event);
  loop::Task<void> show_status();
  void show_progress(const Json& event);
  void show_log(const Json& event);
  loop::Task<void> show_life();
  void progress_message(std::string text, const ShownUpTo& at);
  /// `at`: how far the call is shown with it.
  void message(const std::string& text, const ShownUpTo& at = {});

  const std::unique_ptr<wire::EventStream> events_;
  const Clock& clock_;
  const StreamedCall call_;
  tools::http::SseReader reader_;
  std::vector<Event> taken_;
  std::string out_;
  std::string status_;        ///< of its task, as it was shown last
  std::string only_;          ///< the message in `out_`, while it is the only one
  double shown_;              ///< the progress that was shown last: it only rises
  ShownUpTo shown_at_;        ///< the last event of which something was shown
  double total_ = 0;          ///< as `shown_`; 0: none
  std::optional<bool> held_;  ///< whether the call waits for approval; nothing: no event has said
  bool begun_ = false;
  bool shown_any_ = false;
  bool ended_ = false;
  bool asked_ = false;
};

/// Whether it is one of the eight levels of logs (RFC 5424).
bool is_level(std::string_view level);

/// Whether a log of `level` is shown to a client that asked for `least` (RFC 5424 severities).
bool shows_log(std::string_view least, std::string_view level);

}  // namespace toolway::gateway::mcp
