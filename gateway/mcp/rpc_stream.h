#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gateway/wire/event_stream.h"
#include "mcp/message.h"
#include "tools/http/sse_reader.h"

namespace toolway::gateway::mcp {

/// What the stream of one `tools/call` says of the call's events.
struct StreamedCall {
  toolway::mcp::RequestId id;
  Json progress_token{};    ///< null: no progress is shown
  std::string log_level{};  ///< the least severe that is shown; empty: no logs
  /// The result of the call whose completion an event describes, as JSON.
  std::function<Json(const Json& completed)> result;
};

/// The events of a call as JSON-RPC messages: progress and logs while it runs, then the answer,
/// and nothing after it. On the io_context's thread.
class RpcStream final : public wire::EventStream {
 public:
  RpcStream(std::unique_ptr<wire::EventStream> events, StreamedCall call);
  loop::Task<Turn> next(std::string& out) override;
  void stop() override { events_->stop(); }

 private:
  void take(const tools::http::SseEvent& event);
  void show_progress(const Json& event);
  void show_log(const Json& event);
  void message(const std::string& text);

  const std::unique_ptr<wire::EventStream> events_;
  const StreamedCall call_;
  tools::http::SseReader reader_;
  std::string out_;
  double shown_ = -1;  ///< the progress that was shown last: it only rises
  bool ended_ = false;
};

/// Whether a log of `level` is shown to a client that asked for `least` (RFC 5424 severities).
bool shows_log(std::string_view least, std::string_view level);

}  // namespace toolway::gateway::mcp
