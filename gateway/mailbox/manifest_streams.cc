// What the streams show of a session's calls that is not recorded yet.
#include <algorithm>

#include "gateway/loop/task_group.h"
#include "gateway/mailbox/manifest.h"
#include "proto/approvals.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway::mailbox {
namespace {

using persistence::store::CallState;
using persistence::store::ManifestCall;

constexpr std::chrono::seconds kStreamsWait{2};
constexpr std::size_t kConcurrentLooks = 32;

/// The memory that one of them takes: it is kept with its request.
constexpr std::size_t kStreamedCall = 2048;

/// Which of a manifest's calls several tasks look at next.
struct Looks {
  SessionKey session;
  Manifest& manifest;
  std::vector<std::size_t> calls;
  MonotonicTime give_up;
  std::size_t next = 0;
};

loop::Task<void> look_at_some(const RecordWatch& watch, Looks& looks) {
  while (looks.next < looks.calls.size() && watch.clock.monotonic() < looks.give_up) {
    ManifestCall& call = looks.manifest.calls[looks.calls[looks.next++]];
    const auto id = CallId::parse(call.call_id);
    if (!id) continue;
    const auto last = co_await watch.bus.last_message(proto::kEventsStream,
                                                      proto::event_subject(looks.session, *id));
    if (!last) continue;
    const auto event = proto::decode_event(last->payload);
    if (!event || note_completion(call, *event)) continue;
    if (proto::approval_state(*event) == proto::ApprovalState::kApproved)
      call.state = CallState::kQueued;
    if (event->attempt() > 0)
      call.state = event->has_retry_at() ? CallState::kQueued : CallState::kRunning;
  }
}

}  // namespace

loop::Task<void> add_unrecorded(const RecordWatch& watch, SessionKey session, Manifest& manifest) {
  if (manifest.reason.empty()) {
    manifest.reason = "not all of the session's calls are recorded yet; close it again to see them";
  }
  const MonotonicTime give_up = watch.clock.monotonic() + kStreamsWait;
  auto unrecorded = co_await calls::unrecorded_calls(watch.bus, watch.clock, session, give_up);
  manifest.memory.resize(manifest.memory.bytes() + unrecorded.calls.size() * kStreamedCall);
  add_calls(manifest, std::move(unrecorded.calls));
  Looks looks{.session = session, .manifest = manifest, .calls = {}, .give_up = give_up};
  for (std::size_t i = 0; i < manifest.calls.size(); ++i) {
    if (manifest.calls[i].state != CallState::kCompleted) looks.calls.push_back(i);
  }
  loop::TaskGroup searches(co_await asio::this_coro::executor);
  for (std::size_t i = 0; i < std::min(kConcurrentLooks, looks.calls.size()); ++i) {
    searches.start(look_at_some(watch, looks));
  }
  co_await searches.wait();
}

}  // namespace toolway::gateway::mailbox
