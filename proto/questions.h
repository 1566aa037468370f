#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "proto/toolway/v1/call.pb.h"

/// What a tool asks while it runs. The questions of a call, with their answers, go with each event
/// of its log from the first one on. Pure.
namespace toolway::proto {

/// Of one call. All of it is in every event, so it is little.
inline constexpr int kMaxQuestions = 100;
inline constexpr std::size_t kMaxQuestionKey = 64;
/// No tool's key begins so.
inline constexpr std::string_view kOwnQuestions = "toolway.";
inline constexpr std::size_t kMaxQuestionsBytes = 256UL * 1024;  ///< keys, params and answers
inline constexpr std::size_t kMaxAnswerBytes = 64UL * 1024;

inline constexpr std::string_view kElicit = "elicitation/create";
inline constexpr std::string_view kSample = "sampling/createMessage";
inline constexpr std::string_view kListRoots = "roots/list";

/// Bytes of questions and answers.
std::size_t size_of(const v1::Question& question);

/// `event` of a call whose tool may be answered: it runs, and is not being stopped, or the call is
/// parked.
bool takes_answers(const v1::CallEvent& event);

/// By its last event: no worker has the call. Its tool has asked, and runs again when the call is
/// published after the answers came.
inline bool is_parked(const v1::CallEvent& last) { return last.parked_for_size() > 0; }
/// By its last event: it is parked, and what it waits for is answered.
bool is_parked_and_answered(const v1::CallEvent& last);
/// By its last event: a worker runs it, unless that worker died.
inline bool is_run(const v1::CallEvent& last) { return takes_answers(last) && !is_parked(last); }

/// `seq` of the last event of the log up to `event` other than InputProvided, and of a
/// CancelRequested the one before it: what a worker must have written, or followed, for `event` to
/// come after it.
std::uint32_t followed_by(const v1::CallEvent& event);

/// Whether there is such a method to ask by.
bool is_question(std::string_view method);
/// What may be asked: of form, url, sampling and roots.
std::vector<std::string> askable(const v1::CallRequest& request);
/// Whether what its client has declared allows it. `is_url`: of an elicitation, its mode.
bool may_ask(const v1::CallRequest& request, std::string_view method, bool is_url);

}  // namespace toolway::proto
