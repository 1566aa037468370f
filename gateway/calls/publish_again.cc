#include "gateway/calls/publish_again.h"

#include <spdlog/spdlog.h>

#include "gateway/calls/publication.h"
#include "proto/publication.h"

namespace toolway::gateway::calls {
namespace {

using persistence::store::CallAndLog;

constexpr int kTries = 3;
constexpr std::chrono::milliseconds kDelay{50};
constexpr std::chrono::seconds kReadWithin{1};

}  // namespace

loop::Task<void> publish_again(loop::AsyncBus& bus, admission::BusWatch& queues,
                               v1::CallRequest call, admission::QueuePlace place,
                               std::string_view why) {
  for (int tries = 0; tries < kTries; ++tries) {
    if (tries > 0) co_await loop::pause(kDelay);
    auto publication = call_publication(call, place.lane, place.partition);
    const auto stored = co_await bus.publish(std::move(publication));
    if (stored) {
      queues.accepted(call, place, stored->sequence);
      co_return;
    }
  }
  spdlog::warn("call {} {} and could not be published to run: the reaper does it", call.call_id(),
               why);
}

loop::Task<void> resume(const CancelContext& context, admission::BusWatch& queues,
                        v1::CallEvent last) {
  const auto id = CallId::parse(last.call_id());
  if (!id) co_return;
  auto read = [id = *id](persistence::store::StoreReader& store) { return store.call_and_log(id); };
  const auto due = context.clock.monotonic() + kReadWithin;
  auto found = co_await context.store.run<std::optional<CallAndLog>>(std::move(read), due);
  if (!found || !*found) {
    spdlog::warn("call {} was answered and its request cannot be read: the reaper publishes it",
                 last.call_id());
    co_return;
  }
  auto& call = (*found)->request;
  call.set_publication(proto::kAnswered + last.attempt());
  const auto place = queues.place_again(call);
  co_await publish_again(context.bus, queues, std::move(call), place, "was answered");
}

}  // namespace toolway::gateway::calls
