#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/chaos/agent.h"
#include "tests/chaos/door.h"
#include "tests/chaos/mcp_wire.h"

namespace toolway::chaos {

/// A question that waits for an agent's answer.
struct OpenQuestion {
  OrderedJson request_id{};  ///< of the request that asked it; null: it came in a result
  std::chrono::steady_clock::time_point answer_at{};
};

/// The stream that answers a request, which can be resumed.
struct OpenStream {
  Era era = Era::k2025_11_25;
  std::string name;
  std::string method;
  int request_id = 0;
  std::string progress_token;
  bool logs = false;
  std::string last_id;  ///< empty: it cannot be resumed
};

/// A call that an agent has begun, as far as it knows.
struct McpCall {
  Era era = Era::k2025_11_25;  ///< of the client that has begun it
  std::string tool;
  std::string token;
  std::string key;  ///< Idempotency-Key; empty: none
  OrderedJson arguments;
  bool as_task = false;  ///< 2025-11-25: asks for one
  Wishes wishes{};
  std::string call_id{};  ///< empty: it has not learned it
  OpenStream stream{};
  std::string state{};  ///< requestState; empty: none
  std::map<std::string, OpenQuestion> asks{};
  bool ended = false;
  unsigned looks = 0;
};

/// An MCP client, which speaks every revision in turn, and REST, about the calls of one session.
/// One thread; `watched` from any.
class McpAgent {
 public:
  McpAgent(AgentParts parts, unsigned number, std::uint64_t seed);
  void run(const std::atomic<bool>& stop);
  std::optional<Watched> watched() const;
  std::vector<Watched> sessions() const;

 private:
  using Steady = std::chrono::steady_clock;
  struct Exchange {
    McpWire::Reply reply;
    RpcStretch stretch;
    OrderedJson answer;              ///< null: none came
    Steady::time_point let_go_at{};  ///< whatever has come by then
    const RpcMessage* last() const {
      return answer.is_null() || stretch.messages.empty() ? nullptr : &stretch.messages.back();
    }
  };

  void pause(double seconds) const { pause_for(seconds, stop_); }
  bool open_session();
  /// Its MCP-Session-Id for an era; empty: it has none now.
  std::string session_of(Era era);
  void act();

  // Begins calls.
  McpCall new_call();
  void begin();
  Fate begin_over_mcp(McpCall& call);
  Fate begin_over_rest(McpCall& call);
  Fate fate_of(const Exchange& exchange, std::string& code) const;
  /// A request about a call, recorded.
  Exchange exchange(McpCall& call, Era era, const std::string& method, const OrderedJson& params,
                    const Wishes& wishes);
  McpWire::Sent opened(McpCall& call, Exchange& exchange, Era era);
  void carry(McpCall& call, Exchange& exchange, McpWire::Sent sent);
  Steady::time_point let_go_time(const McpCall& call, Era era, const std::string& method);
  bool take(McpCall& call, Exchange& exchange, const OrderedJson& message,
            const std::string& sse_id);
  void learn(McpCall& call, const Exchange& exchange);
  void judge(const Exchange& exchange);

  // Continues with calls that have not ended.
  void tend();
  void resume(McpCall& call);
  void go_on(McpCall& call);
  void look_at_task(McpCall& call);
  void wait_for_result(McpCall& call);
  void listen_to_task(McpCall& call);
  void look_over_rest(McpCall& call);
  void cancel(McpCall& call);
  void note_look(const McpCall& call, const Exchange& exchange, const TaskSeen& task);

  // Answers.
  /// What no one has answered for long: it would hold its worker's slot until the storm ends.
  void answer_old_questions();
  void ask_me(McpCall& call, const std::string& key, OrderedJson request_id);
  void answer(McpCall& call, const std::string& key, OpenQuestion question);
  std::string new_value();
  Given::Effect say(const McpCall& call, Given& given, const OrderedJson& request_id);
  Given::Effect say_by_response(Given& given, const OrderedJson& request_id);
  Given::Effect say_by_rest(Given& given);
  Given::Effect say_by_update(const McpCall& call, Given& given);

  AgentParts parts_;
  const std::string user_;
  Randomness random_;
  Door door_;
  McpWire wire_;
  McpWire second_wire_;  ///< for answers while a stream is read
  const unsigned number_;
  int requests_ = 0;
  std::uint64_t tokens_ = 0;
  std::uint64_t values_ = 0;
  std::uint64_t sessions_opened_ = 0;
  std::uint64_t calls_in_session_ = 0;
  std::uint64_t calls_per_session_ = 0;
  Steady::time_point next_sweep_{};
  std::string session_;
  std::map<Era, std::string> mcp_sessions_;
  std::vector<McpCall> open_;
  const std::atomic<bool>* stop_ = nullptr;
  mutable std::mutex mutex_;  // over opened_
  std::vector<Watched> opened_;
};

}  // namespace toolway::chaos
