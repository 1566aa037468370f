#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "tests/chaos/event_seen.h"
#include "tests/chaos/reading.h"

namespace toolway::chaos {

/// A message that a gateway sent an MCP client, as far as it is judged. Pure.
struct RpcMessage {
  enum class Kind {
    kAnswer,    ///< to a request: a result or an error
    kProgress,  ///< notifications/progress
    kLog,       ///< notifications/message
    kQuestion,  ///< a request to the client
    kOther,     ///< any other notification
  };
  Kind kind = Kind::kOther;
  std::optional<EventId> at{};   ///< of its SSE id: the event of the call that it shows
  std::string id{};              ///< JSON: of the request that it answers, or asks with
  std::string method{};          ///< of what is not an answer
  std::string progress_token{};  ///< JSON
  double progress = 0;
  bool life = false;                 ///< progress that only says that the call still runs
  std::string text{};                ///< of a log
  std::vector<std::string> asks{};   ///< keys of the questions that it asks
  std::string token{};               ///< of the call whose bytes it holds
  std::string call_id{};             ///< that it names
  std::string owners{};              ///< users whose tokens are in its bytes
  int error = 0;                     ///< of an answer: JSON-RPC's code
  std::string code{};                ///< of an answer: ours
  std::string said{};                ///< of an error: its message
  std::optional<Reading> reading{};  ///< of an answer that is a call's end
  std::optional<TaskSeen> task{};    ///< of an answer that is a task, or has one
  std::int64_t at_us = 0;
};

/// `sse_id`: of the event that brought it; empty: none.
RpcMessage read_message(const OrderedJson& message, std::string_view sse_id);

/// The first token in a text; empty: there is none.
std::string token_in(std::string_view text);

/// What the tools of the workload say when they ask: the token, the key, the call.
struct AskedQuestion {
  std::string token;
  std::string key;
  std::string call_id;
};
std::optional<AskedQuestion> read_question(const std::string& message);

}  // namespace toolway::chaos
