#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "gateway/calls/log_edit.h"
#include "proto/toolway/v1/call.pb.h"

/// What answers to a tool's questions do, decided from the call's last event.
namespace toolway::gateway::calls {

/// By the keys of the questions. An answer is the result of the question's method, as the Model
/// Context Protocol has it, or an object with `error`, an object: then the tool gets an error.
using Answers = std::map<std::string, Json>;

/// With constructors, as KnownCall has them.
struct ToAnswer {
  /// What becomes of answers to what was never asked, or was answered already in other words.
  enum class Unasked { kRefused, kLeftOut };
  explicit ToAnswer(Answers given, Unasked when_unasked = Unasked::kRefused, std::string user = {})
      : answers(std::move(given)), user_id(std::move(user)), unasked(when_unasked) {}
  Answers answers;
  std::string user_id;
  Unasked unasked = Unasked::kRefused;
};

/// Why it is none to this question; nothing: it is one. Pure.
std::optional<std::string> wrong_answer(const v1::Question& question, const Json& answer);

/// The questions of a call that wait for an answer.
std::vector<v1::Question> waiting_questions(const std::optional<v1::CallEvent>& last);

/// Writes the answers after the last event of the call's log, and tells its worker, if it has one:
/// a parked call must be published again then (publish_again.h). Done: `last` holds them, or was
/// there first: the call has completed. Refuses: not_asked, invalid_request (an answer that is none
/// to its question), payload_too_large.
LogEdit answering(KnownCall call, ToAnswer given, MonotonicTime deadline);

}  // namespace toolway::gateway::calls
