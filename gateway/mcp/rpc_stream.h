#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/wire/event_stream.h"
#include "mcp/message.h"
#include "tools/http/sse_reader.h"

namespace toolway::gateway::mcp {

/// What the stream of one `tools/call` says of the call's events.
struct StreamedCall {
  toolway::mcp::RequestId id;
  Json progress_token{};    ///< null: no progress is shown
  std::string log_level{};  ///< the least severe that is shown; empty: no logs
  /// The answer that an event describes which completes the call.
  std::function<std::string(const Json& completed)> answer;
  /// What follows from an event that asks: messages that ask the client, and then more events; or
  /// the answer, and nothing after it.
  struct AfterQuestion {
    std::vector<std::string> messages{};
    bool ends = false;
  };
  std::function<loop::Task<AfterQuestion>(Json event)> ask;
};

/// The events of a call as JSON-RPC messages: progress and logs while it runs, then the answer,
/// and nothing after it. On the io_context's thread.
class RpcStream final : public wire::EventStream {
  struct Event {
    std::string type;
    Json json;
  };

 public:
  RpcStream(std::unique_ptr<wire::EventStream> events, StreamedCall call);
  loop::Task<Turn> next(std::string& out) override;
  void stop() override { events_->stop(); }

  /// Waits for the first message. The whole answer, when that is all there will be, and otherwise
  /// nothing: `next` begins with it. Call it once, before `next`.
  loop::Task<std::optional<std::string>> only_answer();

 private:
  loop::Task<void> take(Event event);
  void show_progress(const Json& event);
  void show_log(const Json& event);
  void message(const std::string& text);

  const std::unique_ptr<wire::EventStream> events_;
  const StreamedCall call_;
  tools::http::SseReader reader_;
  std::vector<Event> taken_;
  std::string out_;
  std::string only_;   ///< the message in `out_`, while it is the only one
  double shown_ = -1;  ///< the progress that was shown last: it only rises
  bool shown_any_ = false;
  bool ended_ = false;
};

/// Whether a log of `level` is shown to a client that asked for `least` (RFC 5424 severities).
bool shows_log(std::string_view least, std::string_view level);

}  // namespace toolway::gateway::mcp
