#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/chaos/rpc_message.h"

namespace toolway::chaos {

/// One HTTP request of an MCP client about a call, and the messages that its answer was. A stream
/// that was resumed is several of them.
struct RpcStretch {
  std::string user;
  std::string session;
  std::string gateway;
  std::string revision;
  std::string method;            ///< tools/call, tasks/result …; GET: of what is not a request
  std::string stream;            ///< of the same request: names it
  std::string after{};           ///< the event that a resumed one named; empty: it begins
  bool goes_on = false;          ///< a retry with answers: it begins where its call had come to
  std::string request_id{};      ///< JSON; empty: nothing may be answered
  std::string progress_token{};  ///< JSON; empty: no progress was asked for
  bool logs = false;             ///< whether all logs were asked for
  std::string token{};           ///< of its call
  std::string call_id{};         ///< empty: the client has not learned it
  std::int64_t at_us = 0;
  std::int64_t done_us = 0;
  int status = 0;  ///< 0: none came
  std::vector<RpcMessage> messages{};
  std::string end{};
};

/// An answer to a question, and what was said to it.
struct Given {
  enum class Effect {
    kTaken,    ///< it is the answer that the tool gets
    kSettled,  ///< the question is answered, by this one or another, or its call has ended
    kRefused,  ///< it is not the answer
    kUnknown,
  };
  std::string session;
  std::string call_id;
  std::string key;
  std::string value;
  std::string face;
  std::string gateway;
  std::int64_t at_us = 0;
  std::int64_t done_us = 0;
  Effect said = Effect::kUnknown;
};
const char* said_name(Given::Effect said);

/// What a gateway said of a task at some moment.
struct TaskLook {
  std::string user;
  std::string session;
  std::string call_id;
  std::string revision;
  std::string method;
  std::string gateway;
  std::int64_t at_us = 0;
  std::int64_t done_us = 0;
  int error = 0;       ///< JSON-RPC's; 0: none
  std::string said{};  ///< its message
  TaskSeen task{};
  std::string owners{};
};

/// What a tool was told, as it wrote down itself.
struct Told {
  std::string call_id;
  unsigned attempt = 0;
  std::string key;
  std::string value;
};

/// A question as a call's log has it.
struct Question {
  std::string call_id;
  std::string key;
  bool answered = false;  ///< an answer; otherwise it was asked
  std::string value{};
};

}  // namespace toolway::chaos
