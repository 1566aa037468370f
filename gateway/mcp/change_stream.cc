#include "gateway/mcp/change_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/try.h"
#include "gateway/mcp/agreed_session.h"
#include "gateway/mcp/call_tool.h"
#include "gateway/mcp/rpc_answer.h"
#include "gateway/mcp/rpc_request.h"
#include "gateway/mcp/subscribe.h"
#include "gateway/mcp/task_watch.h"
#include "gateway/wire/media_type.h"
#include "mcp/fields.h"

namespace toolway::gateway::mcp {
namespace {

using toolway::mcp::member;

constexpr std::chrono::seconds kLookInterval{1};
constexpr std::array kLists{"toolsListChanged", "promptsListChanged", "resourcesListChanged"};

bool takes_events(const wire::RoutedRequest& routed) {
  return takes_stream(routed) || wire::names_type(routed.request.accept, "*/*");
}

/// Messages about tasks, asked for as often as there is a look.
using TaskNews = std::function<loop::Task<std::vector<std::string>>()>;

loop::Task<std::vector<std::string>> task_news(std::shared_ptr<TaskWatch> tasks, Json meta) {
  std::vector<std::string> messages;
  for (auto& task : co_await tasks->changed()) {
    task["_meta"] = meta;
    messages.push_back(notification_text("notifications/tasks", std::move(task)));
  }
  co_return messages;
}

loop::Task<Result<Due>> look(std::shared_ptr<ChangeWatch> changes, TaskNews tasks) {
  CO_ASSIGN_OR_RETURN(auto due, co_await changes->look());
  if (tasks && !due.over)
    for (auto& message : co_await tasks()) due.messages.push_back(std::move(message));
  co_return std::move(due);
}

loop::Task<wire::HttpResult<wire::Response>> watch(const McpContext& context,
                                                   std::shared_ptr<ChangeWatch> changes,
                                                   ChangeStream::Messages messages,
                                                   TaskNews tasks) {
  CO_RETURN_IF_ERROR(co_await changes->begin());
  const auto executor = co_await asio::this_coro::executor;
  ChangeStream::Look looking = [changes = std::move(changes), tasks = std::move(tasks)] {
    return look(changes, tasks);
  };
  co_return stream_response(std::make_unique<ChangeStream>(std::move(messages), std::move(looking),
                                                           context.clock, executor));
}

bool are_texts(const Json& list) {
  return list.is_array() &&
         std::ranges::all_of(list, [](const Json& one) { return one.is_string(); });
}

/// The filter of a subscription: why it is none.
std::optional<std::string> wrong_filter(const Json* filter) {
  if (filter == nullptr || !filter->is_object()) return "params.notifications is missing";
  for (const char* name : kLists) {
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

/// What it wants to hear of resources: each once, or what is wrong with one.
loop::Task<wire::HttpResult<tl::expected<Subscriptions, toolway::mcp::RpcError>>> subscriptions_to(
    const RequestScope& of, const Json& uris) {
  using All = tl::expected<Subscriptions, toolway::mcp::RpcError>;
  Subscriptions all;
  for (const auto& uri : uris) {
    CO_ASSIGN_OR_RETURN(auto one, co_await subscription_to(of, uri.get<std::string>()));
    if (!one) co_return All(tl::unexpect, std::move(one.error()));
    if (auto full = add_subscription(all, *std::move(one)))
      co_return All(tl::unexpect, toolway::mcp::RpcError{.code = toolway::mcp::kInvalidParams,
                                                         .message = std::move(*full)});
  }
  co_return std::move(all);
}

Json uris_of(const Subscriptions& all) {
  Json uris = Json::array();
  for (const auto& one : all) uris.push_back(one.uri);
  return uris;
}

}  // namespace

ChangeStream::ChangeStream(Messages messages, Look look, const Clock& clock,
                           loop::Executor executor)
    : messages_(std::move(messages)), look_(std::move(look)), clock_(clock), timer_(executor) {}

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
    for (const auto& message : seen->messages) out += event_text(message);
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
  const auto revision = agreed->session.revision;
  auto changes = std::make_shared<ChangeWatch>(
      ChangeWatch::Of{.context = context,
                      .read_task = ports.read_task,
                      .caller = routed.caller,
                      .session_id = session_id_of(routed),
                      .mcp_session = std::move(sealed),
                      .revision = revision},
      ChangeWatch::Wanted{.tools = true, .prompts = true, .resources = true}, Json());
  ChangeStream::Messages messages;
  co_return co_await watch(context, std::move(changes), std::move(messages), TaskNews());
}

loop::Task<wire::HttpResult<wire::Response>> listen(const RequestScope& of,
                                                    const RpcRequest& request) {
  const auto& routed = of.routed;
  const auto* filter = member(request.request.params, "notifications");
  if (auto wrong = wrong_filter(filter)) co_return wrong_params(request, std::move(*wrong));
  if (!takes_events(routed))
    co_return wrong_params(request,
                           "the header Accept must name text/event-stream for a subscription");
  const auto* ids = member(*filter, "taskIds");
  if (ids != nullptr && !request.tasks) co_return failed(request, tasks_not_declared());
  const Json meta{{"io.modelcontextprotocol/subscriptionId", id_json(request.request.id)}};
  Json honored = Json::object();
  for (const char* list : kLists)
    if (toolway::mcp::flag(*filter, list)) honored[list] = true;
  ChangeWatch::Wanted wanted{.tools = honored.contains(kLists[0]),
                             .prompts = honored.contains(kLists[1]),
                             .resources = honored.contains(kLists[2])};
  if (const auto* uris = member(*filter, "resourceSubscriptions")) {
    CO_ASSIGN_OR_RETURN(auto all, co_await subscriptions_to(of, *uris));
    if (!all) co_return failed(request, std::move(all.error()));
    honored["resourceSubscriptions"] = uris_of(*all);
    wanted.subscriptions = std::make_shared<const Subscriptions>(*std::move(all));
  }
  TaskNews news;
  if (ids != nullptr) {
    const auto tasks =
        std::make_shared<TaskWatch>(SessionTasks{.context = of.context,
                                                 .read = of.ports.read_task,
                                                 .read_result = of.ports.read_result,
                                                 .caller = routed.caller,
                                                 .session_key = of.session.record.session_key(),
                                                 .asks_forms = request.askable.form()});
    honored["taskIds"] = co_await tasks->begin(ids->get<std::vector<std::string>>());
    news = [tasks, meta] { return task_news(tasks, meta); };
  }
  ChangeStream::Messages messages{
      .first = notification_text("notifications/subscriptions/acknowledged",
                                 {{"_meta", meta}, {"notifications", std::move(honored)}}),
      .last = answer_text(request.request.id, Json{{"resultType", "complete"}, {"_meta", meta}})};
  auto changes = std::make_shared<ChangeWatch>(ChangeWatch::Of{.context = of.context,
                                                               .read_task = of.ports.read_task,
                                                               .caller = routed.caller,
                                                               .session_id = session_id_of(routed),
                                                               .revision = request.revision},
                                               std::move(wanted), meta);
  co_return co_await watch(of.context, std::move(changes), std::move(messages), std::move(news));
}

}  // namespace toolway::gateway::mcp
