#pragma once

#include <chrono>
#include <string>
#include <unordered_map>

#include "gateway/live/live_hub.h"
#include "gateway/loop/work_pool.h"
#include "gateway/mailbox/manifest.h"
#include "gateway/mailbox/recorded.h"
#include "gateway/wire/http_types.h"

namespace toolway::gateway::mailbox {

/// What waiting for a session's calls needs.
struct SessionWaitContext {
  live::LiveHub& live;
  const RecordWatch& recorded;
  const answers::PageSources& pages;
  loop::WorkPool& threads;  ///< which free large manifests
  std::chrono::seconds gap_check{};
};

/// Follows a session until the calls of a manifest end. On the io_context's thread.
class SessionWait final : public live::LiveSink {
 public:
  /// What it is given must outlive it.
  SessionWait(const SessionWaitContext& context, SessionKey session, Manifest& manifest,
              AwaitHeld held, loop::Executor executor);

  /// From here on no end is missed while the connection lasts. Errors: bus_unavailable.
  loop::Task<Result<void>> follow();
  /// Waits until no call is pending, the time runs out, the client has gone, or this gateway
  /// drains. Reads the record now and then: live events may be incomplete.
  loop::Task<void> wait(MonotonicTime deadline, wire::PeerWatch& peer,
                        persistence::store::MailboxCursor read);

  void on_live(const live::LiveEventPtr& event) override;
  void on_connection(bus::Connection state) override;

 private:
  loop::Task<void> look(persistence::store::MailboxCursor read);
  void index();

  const SessionWaitContext& context_;
  SessionKey session_;
  Manifest& manifest_;
  const AwaitHeld held_;
  loop::Timer wake_;
  bool doubt_ = true;  ///< an end may have been missed
  std::unordered_map<std::string_view, std::size_t>
      pending_;  ///< where in the manifest, which holds the ids
  std::unordered_map<std::string, v1::CallEvent> early_;  ///< ends of calls that it lacks
  live::LiveLease lease_;
};

}  // namespace toolway::gateway::mailbox
