#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "mcp/message.h"
#include "tools/http/http_message.h"
#include "tools/http/sse_reader.h"

namespace toolway::cli::mcp_serve {

/// How much one message of a gateway may have.
inline constexpr std::size_t kMaxMessage = 64UL << 20;
inline constexpr mcp::MessageBounds kMessageBounds{.bytes = kMaxMessage, .values = 8'000'000};

/// Where what a gateway says goes. From any thread.
struct Sinks {
  std::function<void(const std::string&)> write;  ///< takes lines without their end
  std::function<void()> tools_changed = [] {};    ///< called before the line that says so
};

/// What went out of one request so far, over all its tries: an answer that begins again repeats
/// what it said before.
struct SaidBefore {
  std::multiset<std::size_t> messages{};  ///< a hash of each
};

/// Turns one HTTP answer, JSON or an event stream, into lines for the client. On the thread that
/// asked.
class AnswerReader final : public tools::http::HttpReceiver {
 public:
  enum class OnMismatch { kTell, kHoldBack };  ///< of a header, -32020

  /// `id`: of the request; nothing: no answer is due.
  AnswerReader(std::optional<mcp::RequestId> id, SaidBefore& said, Sinks sinks,
               OnMismatch on_mismatch = OnMismatch::kTell);

  Want on_head(const tools::http::HttpHead& head) override;
  Want on_body(std::string_view piece) override;
  /// The answer is complete: a body that is one message goes out now.
  void end();

  int status() const { return status_; }
  bool streams() const { return streams_; }
  bool too_large() const { return too_large_; }            ///< a message over kMaxMessage came
  const std::string& session() const { return session_; }  ///< MCP-Session-Id; empty: none
  const std::string& retry_after() const { return retry_after_; }
  const std::string& body() const { return body_; }  ///< of what is not a stream
  /// Whether the request's own answer went out.
  bool answered() const { return answered_; }
  /// The request was refused for its headers, and that was held back.
  bool mismatch() const { return mismatch_; }
  /// The result that was answered, of a request whose answer is short; null: none.
  const Json& result() const { return result_; }

 private:
  void message(const std::string& text);
  void take_answer(const mcp::Answer& answer, const std::string& text);
  void take_notification(const mcp::Notification& notification, const std::string& text);
  void tell_of_gap(const mcp::Notification& acknowledged);
  bool is_new(const std::string& text);

  const std::optional<mcp::RequestId> id_;
  SaidBefore& said_;
  std::multiset<std::size_t> repeated_;  ///< of those said before, which have not come again
  const Sinks sinks_;
  const OnMismatch on_mismatch_;
  tools::http::SseReader events_;
  int status_ = 0;
  bool streams_ = false;
  bool too_large_ = false;
  bool answered_ = false;
  bool mismatch_ = false;
  std::string session_;
  std::string retry_after_;
  std::string body_;
  Json result_;
};

/// A message on one line: line ends are white space in JSON.
std::string on_one_line(std::string text);

}  // namespace toolway::cli::mcp_serve
