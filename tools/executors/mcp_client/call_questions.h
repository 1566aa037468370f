#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "mcp/client_messages.h"
#include "mcp/tool_call.h"
#include "tools/model/tool.h"

namespace toolway::tools::executors::mcp_client {

/// What its server asks in one call, on its way to the call's client and back. A question's key is
/// made of what it asks and how often that was asked before, so a server that is called again and
/// asks the same gets the answer that is stored. For the thread that calls; what says so, for
/// others as well. Replies come on threads of their own, which end with this.
class CallQuestions {
 public:
  /// Of one call; it has room for no more (docs/questions.md).
  static constexpr std::size_t kMaxAsked = 100;
  /// Unanswered at once, of those that come while the call runs.
  static constexpr std::size_t kMaxOpen = 8;
  /// Sends an answer to the server; blocks until `stop` at most.
  using Reply = std::function<void(const mcp::Answer& answer, const std::stop_token& stop)>;

  /// `askable`: what the server is allowed, of what the call's client has declared.
  CallQuestions(std::string server, const mcp::ClientCapabilities& askable,
                model::ToolContext& context);

  const mcp::ClientCapabilities& askable() const { return askable_; }
  /// Requested when the call is to stop, and when its server asks for too much.
  std::stop_token stopped() const { return stop_.get_token(); }
  /// What it asked for; nothing: not too much.
  std::optional<model::ToolError> too_much() const;

  /// Its request goes out from the beginning: what is unanswered is given up, and asking begins
  /// again.
  void restart();
  /// A request of the server's, in between. False: it is not for the client, and to be refused. On
  /// any thread.
  bool pass_on(const mcp::Request& asked, Reply reply);
  /// The server no longer wants that answered. On any thread.
  void withdraw(const mcp::RequestId& id);
  /// What the server wants to know first, as `inputResponses`; blocks until all is answered.
  /// Errors: mcp_input_required (it may not ask that, or asks too much), not_answered, cancelled.
  model::ToolResult<Json> answers_to(const std::vector<mcp::InputRequest>& asks);

 private:
  struct Open {
    mcp::RequestId id;
    std::atomic<bool> done = false;
    std::jthread thread{};
  };

  model::Question question_of(std::string_view method, Json params) REQUIRES(turn_);
  /// False: that is too much.
  bool count(std::size_t more) REQUIRES(turn_);
  void stop_for(std::string what);
  void ask(Open& open, const mcp::Request& asked, model::Question question, const Reply& reply,
           const std::stop_token& stop);

  const std::string server_;
  const mcp::ClientCapabilities askable_;
  model::ToolContext& context_;
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> of_call_;
  mutable Mutex mutex_;
  Mutex turn_;  // before `mutex_`; no thread of `open_` takes it
  std::size_t asked_ GUARDED_BY(turn_) = 0;
  std::map<std::string, unsigned> times_ GUARDED_BY(turn_);  // each question was asked
  std::set<mcp::RequestId> seen_ GUARDED_BY(turn_);  // a stream that is resumed may repeat one
  std::optional<model::ToolError> too_much_ GUARDED_BY(mutex_);
  std::list<Open> open_ GUARDED_BY(turn_);  // last: its threads use all of the above
};

}  // namespace toolway::tools::executors::mcp_client
