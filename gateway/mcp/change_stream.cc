#include "gateway/mcp/change_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/try.h"
#include "gateway/mcp/agreed_session.h"
#include "gateway/mcp/call_tool.h"
#include "gateway/mcp/rpc_answer.h"
#include "gateway/mcp/rpc_request.h"
#include "gateway/mcp/task_watch.h"
#include "gateway/mcp/tool_result.h"
#include "mcp/fields.h"

namespace toolway::gateway::mcp {
namespace {

using toolway::mcp::member;

constexpr std::chrono::seconds kLookInterval{1};
constexpr const char* kChanged = "notifications/tools/list_changed";

/// The tools that a session offers its caller now. `mcp_session`: of its client; empty: it has
/// none.
loop::Task<Result<Watched>> look(const McpContext& context, wire::Caller caller,
                                 std::string session_id, std::string mcp_session,
                                 toolway::mcp::Revision revision) {
  if (!mcp_session.empty()) {
    CO_ASSIGN_OR_RETURN(const auto mark, co_await context.marks.of(std::move(mcp_session)));
    if (mark.ended) co_return Watched{.digest = {}, .over = true};
  }
  const auto session = co_await context.sessions.find_open(caller, session_id);
  if (!session) {
    const auto& error = session.error().error;
    const bool over =
        error.code == ErrorCode::kUnknownSession || error.code == ErrorCode::kSessionClosed;
    if (over) co_return Watched{.digest = {}, .over = true};
    co_return fail(error);
  }
  const auto grants = context.plan.policies.grants_of(caller);
  CO_ASSIGN_OR_RETURN(const auto list,
                      co_await context.tools.of((*session)->namespaces, list_format(revision),
                                                (*session)->record.session_key(), grants));
  co_return Watched{.digest = list->digest};
}

loop::Task<wire::HttpResult<wire::Response>> watch(
    const McpContext& context, const wire::RoutedRequest& routed, toolway::mcp::Revision revision,
    std::string mcp_session, ChangeStream::Messages messages, ChangeStream::News news = {}) {
  ChangeStream::Look looking = [&context, caller = routed.caller, id = session_id_of(routed),
                                mcp_session = std::move(mcp_session), revision] {
    return look(context, caller, id, mcp_session, revision);
  };
  CO_ASSIGN_OR_RETURN(auto now, co_await looking());
  const auto executor = co_await asio::this_coro::executor;
  co_return stream_response(
      std::make_unique<ChangeStream>(std::move(messages), std::move(now.digest), std::move(looking),
                                     std::move(news), context.clock, executor));
}

bool takes_events(const wire::RoutedRequest& routed) {
  return takes_stream(routed) || routed.request.accept.find("*/*") != std::string_view::npos;
}

loop::Task<std::vector<std::string>> task_news(std::shared_ptr<TaskWatch> tasks, Json meta) {
  std::vector<std::string> messages;
  for (auto& task : co_await tasks->changed()) {
    task["_meta"] = meta;
    messages.push_back(notification_text("notifications/tasks", std::move(task)));
  }
  co_return messages;
}

bool are_texts(const Json& list) {
  return list.is_array() &&
         std::ranges::all_of(list, [](const Json& one) { return one.is_string(); });
}

/// The filter of a subscription: why it is none.
std::optional<std::string> wrong_filter(const Json* filter) {
  if (filter == nullptr || !filter->is_object()) return "params.notifications is missing";
  for (const char* name : {"toolsListChanged", "promptsListChanged", "resourcesListChanged"}) {
    const auto* wanted = member(*filter, name);
    if (wanted != nullptr && !wanted->is_boolean())
      return fmt::format("params.notifications.{} must be true or false", name);
  }
  for (const char* name : {"resourceSubscriptions", "taskIds"}) {
    const auto* texts = member(*filter, name);
    if (texts != nullptr && !are_texts(*texts))
      return fmt::format("params.notifications.{} must be a list of texts", name);
  }
  return std::nullopt;
}

}  // namespace

ChangeStream::ChangeStream(Messages messages, std::string digest, Look look, News news,
                           const Clock& clock, loop::Executor executor)
    : messages_(std::move(messages)),
      digest_(std::move(digest)),
      look_(std::move(look)),
      news_(std::move(news)),
      clock_(clock),
      timer_(executor) {}

void ChangeStream::stop() {
  stopped_ = true;
  timer_.cancel();
}

loop::Task<ChangeStream::Turn> ChangeStream::next(std::string& out) {
  if (!std::exchange(begun_, true) && !messages_.first.empty()) {
    out += event_text(messages_.first);
    co_return Turn::kEvents;
  }
  const auto quiet_at = clock_.monotonic() + silence_;
  while (!stopped_ && !over_ && clock_.monotonic() < quiet_at) {
    timer_.expires_after(kLookInterval);
    co_await loop::wait_on(timer_);
    if (stopped_) break;
    const auto seen = co_await look_();
    if (!seen) continue;
    over_ = seen->over;
    if (over_) break;
    if (std::exchange(digest_, seen->digest) != seen->digest && !messages_.changed.empty())
      out += event_text(messages_.changed);
    if (news_)
      for (const auto& message : co_await news_()) out += event_text(message);
    if (!out.empty()) co_return Turn::kEvents;
  }
  if (!stopped_ && !over_) co_return Turn::kQuiet;
  if (ended_ || messages_.last.empty()) co_return stopped_ ? Turn::kStopped : Turn::kEnded;
  ended_ = true;
  out += event_text(messages_.last);
  co_return Turn::kEvents;
}

loop::Task<wire::HttpResult<wire::Response>> get_mcp(const McpContext& context,
                                                     const McpPorts& ports,
                                                     const wire::RoutedRequest& routed) {
  const auto no_get = refuse_without_handshake(routed);
  if (no_get) co_return wire::refuse(*no_get);
  if (!takes_events(routed))
    co_return failed({.status = 406,
                      .id = std::nullopt,
                      .error = {.code = toolway::mcp::kInvalidRequestError,
                                .message = "what is sent here is text/event-stream: name it in the "
                                           "header Accept"}});
  auto sealed = session_header(routed);
  CO_ASSIGN_OR_RETURN(auto agreed, co_await agreed_session(context, routed, sealed, std::nullopt));
  if (!agreed) co_return failed(agreed.error());
  if (routed.request.last_event_id)
    co_return co_await resume_call(context, ports, routed, std::move(*agreed), std::move(sealed));
  ChangeStream::Messages messages{.first = {},
                                  .changed = notification_text(kChanged, Json::object())};
  co_return co_await watch(context, routed, agreed->session.revision, std::move(sealed),
                           std::move(messages));
}

loop::Task<wire::HttpResult<wire::Response>> listen(const McpContext& context,
                                                    const McpPorts& ports,
                                                    const wire::RoutedRequest& routed,
                                                    const RpcRequest& request) {
  const auto* filter = member(request.request.params, "notifications");
  if (auto wrong = wrong_filter(filter)) co_return wrong_params(request, std::move(*wrong));
  if (!takes_events(routed))
    co_return wrong_params(request,
                           "the header Accept must name text/event-stream for a subscription");
  const auto* ids = member(*filter, "taskIds");
  if (ids != nullptr && !request.tasks) co_return failed(request, tasks_not_declared());
  const Json meta{{"io.modelcontextprotocol/subscriptionId", id_json(request.request.id)}};
  const bool tools = toolway::mcp::flag(*filter, "toolsListChanged");
  Json honored = Json::object();
  if (tools) honored["toolsListChanged"] = true;
  ChangeStream::News news;
  if (ids != nullptr) {
    CO_ASSIGN_OR_RETURN(const auto session,
                        co_await ports.find_session(routed, session_id_of(routed)));
    const auto tasks =
        std::make_shared<TaskWatch>(SessionTasks{.context = context,
                                                 .read = ports.read_task,
                                                 .caller = routed.caller,
                                                 .session_key = session->record.session_key(),
                                                 .asks_forms = request.askable.form()});
    honored["taskIds"] = co_await tasks->begin(ids->get<std::vector<std::string>>());
    news = [tasks, meta] { return task_news(tasks, meta); };
  }
  ChangeStream::Messages messages{
      .first = notification_text("notifications/subscriptions/acknowledged",
                                 {{"_meta", meta}, {"notifications", std::move(honored)}}),
      .changed = tools ? notification_text(kChanged, {{"_meta", meta}}) : std::string(),
      .last = answer_text(request.request.id, Json{{"resultType", "complete"}, {"_meta", meta}})};
  co_return co_await watch(context, routed, request.revision, {}, std::move(messages),
                           std::move(news));
}

}  // namespace toolway::gateway::mcp
