#include "gateway/calls/call_looks.h"

#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway::calls {

void CallLooks::ask(CallLook& look) {
  if (std::exchange(look.asked, true)) return;
  waiting_.push_back(look);
  if (open_ >= kAtOnce) return;
  ++open_;
  asio::co_spawn(executor_, run(), [](std::exception_ptr) {});
}

loop::Task<void> CallLooks::ask(CallLook& look, std::chrono::milliseconds patience) {
  loop::Timer done(executor_, patience);
  look.done = &done;
  ask(look);
  if (look.asked) co_await loop::wait_on(done);
  look.done = nullptr;
}

loop::Task<void> CallLooks::run() {
  while (!waiting_.empty()) {
    const std::weak_ptr<CallLook> next = waiting_.front().weak_from_this();
    const std::string subject = waiting_.front().subject;
    waiting_.pop_front();
    const auto last = co_await bus_.last_message(proto::kEventsStream, subject);
    const auto look = next.lock();
    if (!look) continue;  // no request waits for it any longer
    look->asked = false;
    if (last) {
      // Otherwise not started yet, or no answer: the next look will tell.
      if (const auto event = proto::decode_event(last->payload)) look->told(*event);
    }
    if (look->done != nullptr) look->done->cancel();
  }
  --open_;
}

}  // namespace toolway::gateway::calls
