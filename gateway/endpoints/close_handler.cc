// POST /v1/sessions/{s}/close: logout.
#include "gateway/endpoints/close_handler.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/try.h"
#include "gateway/loop/task_group.h"
#include "gateway/mailbox/mailbox.h"
#include "gateway/mailbox/manifest.h"
#include "gateway/sessions/close_request.h"

namespace toolway::gateway::endpoints {
namespace {

using persistence::store::CallState;

/// How long the collectors may take to record what was accepted before the close.
constexpr std::chrono::seconds kRecordWait{2};
constexpr std::size_t kConcurrentCancels = 32;

loop::Task<wire::HttpResult<calls::Cancellation>> cancel_one(const calls::CancelContext& context,
                                                             SessionKey session, CallId call,
                                                             const mailbox::Manifest& manifest) {
  const std::string reason = "the session was closed";
  const auto streamed = manifest.unrecorded.find(call.text());
  if (streamed == manifest.unrecorded.end())
    co_return co_await calls::cancel_call(context, session, call, reason);
  co_return co_await calls::cancel_call(context, calls::to_cancel(streamed->second), reason,
                                        context.clock.monotonic() + calls::LogEdit::kTimeLimit);
}

/// Takes the next of `calls` until none is left.
loop::Task<void> cancel_some(const CloseContext& context, SessionKey session,
                             const std::vector<CallId>& calls, const mailbox::Manifest& manifest,
                             std::size_t& next) {
  while (next < calls.size() && !context.drain.begun()) {
    const CallId& call = calls[next++];
    const auto cancelled = co_await cancel_one(context.cancel, session, call, manifest);
    if (!cancelled) {
      spdlog::warn("call {} could not be cancelled when its session was closed: {}", call.text(),
                   cancelled.error().error.message);
    }
  }
}

loop::Task<void> cancel_pending(const CloseContext& context, SessionKey session,
                                const mailbox::Manifest& manifest) {
  std::vector<CallId> calls;
  for (const auto& call : manifest.calls) {
    auto id = CallId::parse(call.call_id);
    if (call.state != CallState::kCompleted && id) calls.push_back(std::move(*id));
  }
  std::size_t next = 0;
  loop::TaskGroup cancels(co_await asio::this_coro::executor);
  for (std::size_t i = 0; i < std::min(kConcurrentCancels, calls.size()); ++i) {
    cancels.start(cancel_some(context, session, calls, manifest, next));
  }
  co_await cancels.wait();
}

/// What the request wants from a session that was just closed.
struct Closing {
  const sessions::Session& session;
  sessions::CloseRequest request;
  MonotonicTime deadline;
  wire::PeerWatch& peer;
};

loop::Task<mailbox::Waiting> wait_for_pending(const CloseContext& context, const Closing& closing,
                                              mailbox::Manifest& manifest) {
  const auto held = closing.request.pending == v1::SessionRecord::CLOSING_CANCEL
                        ? mailbox::AwaitHeld::kYes
                        : mailbox::AwaitHeld::kNo;
  if (closing.request.pending == v1::SessionRecord::CLOSING_DETACH || manifest.awaited(held) == 0) {
    co_return mailbox::Waiting::kNot;
  }
  const SessionKey key = closing.session.key;
  mailbox::SessionWait wait(context.waits, key, manifest, held, co_await asio::this_coro::executor);
  const auto followed = co_await wait.follow();
  if (closing.request.pending == v1::SessionRecord::CLOSING_CANCEL) {
    co_await cancel_pending(context, key, manifest);
  }
  if (!followed) {
    manifest.reason = "the calls in progress cannot be followed: " + followed.error().message;
    co_return mailbox::Waiting::kEndedEarly;
  }
  co_await wait.wait(closing.deadline, closing.peer, mailbox::acknowledged(closing.session.record));
  const std::size_t pending = manifest.awaited(held);
  if (pending == 0) co_return mailbox::Waiting::kNot;
  if (context.clock.monotonic() < closing.deadline) co_return mailbox::Waiting::kEndedEarly;
  spdlog::warn("closing session {}: {} calls are still in progress after {} ms, and keep running",
               closing.session.record.session_id(), pending, closing.request.timeout.count());
  context.counters.outlasted_close(pending);
  co_return mailbox::Waiting::kTimedOut;
}

std::vector<std::string> tool_names(const catalogue::ToolsNow& now,
                                    const sessions::Session& session,
                                    const extensions::GrantsPtr& grants) {
  std::vector<std::string> names;
  for (const auto* tool : catalogue::tools_of(*now.registry, session.namespaces, grants)) {
    const auto& spec = tool->spec();
    if (now.switches->off(spec.ns, spec.name) == nullptr) names.push_back(spec.qualified_name());
  }
  return names;
}

loop::Task<wire::HttpResult<wire::Response>> manifest_answer(const CloseContext& context,
                                                             sessions::SessionPtr session,
                                                             mailbox::Manifest manifest,
                                                             mailbox::Waiting waiting,
                                                             extensions::GrantsPtr grants) {
  catalogue::ToolsNow now{context.registry.now(), context.switches.now()};
  const std::size_t bytes =
      mailbox::manifest_bytes(manifest, now.registry->list(session->namespaces).size());
  wire::Response response{.memory = std::move(manifest.memory)};
  auto write = [session = std::move(session), manifest = std::move(manifest), now = std::move(now),
                waiting, grants = std::move(grants)](std::string& out) {
    out = mailbox::manifest_json(manifest,
                                 {session->record, tool_names(now, *session, grants), waiting});
  };
  co_return co_await answers::written(context.answers, std::move(response), bytes,
                                      answers::Sent::kAlways, std::move(write));
}

}  // namespace

loop::Task<wire::HttpResult<EndedSession>> end_session(const CloseContext& context,
                                                       const wire::RoutedRequest& routed,
                                                       sessions::CloseRequest request) {
  const auto begun = context.clock.monotonic();
  CO_ASSIGN_OR_RETURN(auto found, co_await context.sessions.find(routed.caller, routed.id));
  const SessionKey key = found->key;
  CO_ASSIGN_OR_RETURN(const auto before,
                      co_await context.tools.of(found->namespaces, tools::exports::Format::kToolway,
                                                key.text(), routed.grants));
  // Closes nothing while there is no room to report what the session had.
  CO_RETURN_IF_ERROR(
      context.pages.memory.take(wire::MemoryUse::kAnswer, mailbox::kManifestPageMemory));
  // What was accepted before this request is in the streams: awaited while the session is being
  // closed.
  loop::TaskGroup at_once(co_await asio::this_coro::executor);
  const auto change = at_once.start(
      context.sessions.change(routed.caller, routed.id,
                              sessions::SessionClosing{.how = request.pending,
                                                       .now = context.clock.wall(),
                                                       .seen = found->namespaces,
                                                       .toolset_digest = before->digest}));
  const auto recording =
      at_once.start(mailbox::await_session_recorded(context.recorded, key, kRecordWait));
  co_await at_once.wait();
  auto& closed = *change;
  const auto& recorded = *recording;
  if (!closed) co_return wire::refuse(ErrorCode::kInternal, "the session could not be closed");
  CO_RETURN_IF_ERROR(*closed);
  EndedSession ended{.session = (*closed)->session};
  ended.manifest = co_await mailbox::read_manifest(context.pages, key,
                                                   mailbox::acknowledged(ended.session->record));
  if (recorded != mailbox::Recorded::kAll)
    co_await mailbox::add_unrecorded(context.recorded, key, ended.manifest);
  const Closing asked_for{*ended.session, request, begun + request.timeout, *routed.request.watch};
  ended.waiting = co_await wait_for_pending(context, asked_for, ended.manifest);
  if (ended.waiting == mailbox::Waiting::kEndedEarly && ended.manifest.reason.empty()) {
    ended.manifest.reason =
        "this gateway is shutting down; close the session again to keep waiting";
  }
  co_return ended;
}

loop::Task<wire::HttpResult<wire::Response>> close_session(const CloseContext& context,
                                                           const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_ASSIGN_OR_RETURN(const auto request, sessions::parse_close_request(routed.request.body));
  CO_ASSIGN_OR_RETURN(auto ended, co_await end_session(context, routed, request));
  co_return co_await manifest_answer(context, std::move(ended.session), std::move(ended.manifest),
                                     ended.waiting, routed.grants);
}

}  // namespace toolway::gateway::endpoints
