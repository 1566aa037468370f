#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace toolway::chaos {

/// How a call that has ended reads, in words that every face can be brought to. Pure.
struct Reading {
  std::string outcome;
  std::string code;       ///< of an error; empty: it succeeded
  std::string text;       ///< its beginning, for people
  std::size_t same = 0;   ///< digest of what it says, as JSON is read
  std::size_t bytes = 0;  ///< digest of its bytes, where a face shows them; 0: it does not
};

/// Of a call, or of its completion, as REST shows it; `outcome` empty: it has not ended.
Reading reading_of_call(const OrderedJson& call);

/// Of the result of `tools/call` or `tasks/result`. Nothing: it is not a call's end.
std::optional<Reading> reading_of_result(const OrderedJson& result);

/// What two faces say differently, in words; empty: nothing.
std::string difference(const Reading& one, const Reading& other);

/// A task as an MCP client is shown it.
struct TaskSeen {
  std::string id;
  std::string status;
  std::vector<std::string> asks;   ///< keys of what waits for an answer, in `inputRequests`
  std::optional<Reading> reading;  ///< where the result is inside
};
/// Nothing: it is not a task.
std::optional<TaskSeen> read_task(const OrderedJson& task);
/// How a call of this outcome reads as a task, of which `protocol_errors` are failures alone
/// (2026-07-28).
std::string status_of(const std::string& outcome, bool only_protocol_errors_fail);
bool is_final(const std::string& status);

}  // namespace toolway::chaos
