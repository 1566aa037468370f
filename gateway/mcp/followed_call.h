#pragma once

#include <string>
#include <string_view>

#include "gateway/calls/answer_plan.h"
#include "gateway/mcp/mcp_context.h"
#include "gateway/mcp/rpc_request.h"
#include "gateway/mcp/rpc_stream.h"
#include "gateway/mcp/task.h"
#include "gateway/wire/event_id.h"

namespace toolway::gateway::mcp {

/// How a call reads that has ended.
struct EndedCall {
  std::string text;
  unsigned status = 200;
  wire::MemoryBudget::Share memory{};  ///< of a large result
};

/// What is needed to answer for a call as long as its stream lasts.
struct FollowedCall {
  const McpContext* context = nullptr;
  AnswerCall answer_call;
  calls::CancelCall cancel_call;
  ReadTask read_task;
  ReadResult read_result;
  wire::Caller caller;
  toolway::mcp::RequestId id;
  toolway::mcp::Revision revision{};
  bool stateless = false;
  v1::CallRequest request;               ///< its ids
  tools::model::RegisteredToolPtr tool;  ///< null: there is none any more
  std::string digest;                    ///< of the tool and its arguments
  calls::Answers given;                  ///< by the client, with this request
  bool late = false;                     ///< its events may be old, and what they ask answered
  bool asks_forms = false;               ///< its client has declared that it fills them in
  std::string task_id{};                 ///< of the task that it is followed as; empty: it is none

  /// `completion` must last until then.
  loop::Task<EndedCall> ended(const v1::CallEvent& completion) const;
  /// The same as the whole answer to a request.
  loop::Task<wire::Response> answer(const v1::CallEvent& completion) const;
  /// The answer that it has become a task.
  std::string task_answer() const;
  /// The notification of the task as it is now (2025-11-25, basic/utilities/tasks, "Task Status
  /// Notification"); empty: that cannot be read.
  loop::Task<std::string> task_status();
  /// Whether it waits for approval now.
  loop::Task<bool> held();
  /// What its client sends back with its answers.
  std::string state(wire::EventId after) const;
  /// `event`: one that asks, or says that the call is held, as events are shown. `before`: its
  /// first questions, which the client has been asked.
  loop::Task<StreamedCall::AfterQuestion> asked(Json event, std::size_t before);
  /// Its client has gone, and takes no result.
  loop::Task<void> cancel();

 private:
  /// `whole`: as of tool_result.
  std::string ended_text(const v1::CallEvent& completion, std::string_view whole) const;
  /// Nothing: it cannot be known. What is asked twice is answered once.
  loop::Task<std::optional<std::vector<std::string>>> keys_waiting();
  loop::Task<std::optional<TaskFacts>> facts_now();
  /// What its caller is asked about a held call; empty: nothing.
  loop::Task<Json> approval_asked();
  loop::Task<StreamedCall::AfterQuestion> required(Json requests, std::string event_id);
};

/// How a call's events are shown.
struct Following {
  Json progress_token{};
  std::string log_level{};  ///< the least severe that is shown; empty: no logs
  wire::EventId after{};    ///< from here on
  ShownUpTo partly{};       ///< the event of which a part was shown before
  double shown = -1;        ///< the progress that was shown by then; negative: none
  std::string session{};    ///< the id of its client's session, which may resume; empty: none
  std::string tool{};       ///< as that client names it
  bool resumed = false;     ///< only a stream will do
  /// When it has not ended by then, its answer is a task; nothing: it never is.
  std::optional<std::chrono::milliseconds> task_after{};
  bool task_always = false;  ///< also when it has, unless it asks
  void become_task(TaskUse use, const tools::model::Spec& spec);
  /// Until it is a task it is shown on a stream, which ends with the task.
  bool shown_until_task() const { return task_after && !task_always && !progress_token.is_null(); }
};

/// The call's events as messages, then its answer; or the answer alone, when it comes at once.
/// `call.context` must outlive the stream. Errors: as of live::Feed.
loop::Task<wire::HttpResult<wire::Response>> follow_call(FollowedCall call, Following how);

}  // namespace toolway::gateway::mcp
