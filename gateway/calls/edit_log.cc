#include "gateway/calls/edit_log.h"

#include "base/try.h"
#include "gateway/calls/lookup.h"
#include "proto/subjects.h"

namespace toolway::gateway::calls {

loop::Task<wire::HttpResult<LogEditStep>> edit_log(const CancelContext& context, LogEdit& edit) {
  using Kind = LogEditStep::Kind;
  const auto now = [&context]() -> LogEdit::Now {
    return {context.clock.monotonic(), context.clock.wall()};
  };
  LogEditStep step = edit.begin(now());
  for (;;) {
    switch (step.kind) {
      case Kind::kReadLog: {
        auto last = co_await context.bus.last_message(proto::kEventsStream, edit.subject(),
                                                      bus::ReadFrom::kLeader);
        step = edit.read(std::move(last), now());
        break;
      }
      case Kind::kReadWindow: {
        auto state = co_await context.bus.stream_state(proto::kEventsStream);
        step = edit.window(std::move(state), now());
        break;
      }
      case Kind::kReadOldest: {
        auto first = co_await context.bus.next_message(proto::kEventsStream, "event.>",
                                                       step.sequence, bus::ReadFrom::kLeader);
        step = edit.oldest(std::move(first), now());
        break;
      }
      case Kind::kLookUp: {
        auto answer = co_await look_up_call(context.bus, edit.call().call_id);
        step = edit.looked_up(std::move(answer), now());
        break;
      }
      case Kind::kPublish: {
        auto stored = co_await context.bus.publish(std::move(step.publication));
        if (stored && step.completes != v1::OUTCOME_UNSPECIFIED) {
          context.counters.completed(edit.call().labels, edit.call().pool, step.completes);
        }
        step = edit.published(std::move(stored), now());
        break;
      }
      case Kind::kTell: {
        const auto answer = co_await context.bus.request(proto::control_subject(step.worker),
                                                         edit.request().SerializeAsString());
        step = edit.told(answer, now());
        break;
      }
      case Kind::kPause:
        co_await loop::pause(step.delay);
        step = edit.resumed(now());
        break;
      case Kind::kDone: co_return std::move(step);
      case Kind::kFailed: co_return wire::refuse(wire::bus_problem(std::move(*step.error)));
    }
  }
}

}  // namespace toolway::gateway::calls
