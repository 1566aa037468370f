#include "cli/dev/call_watch.h"

#include "base/try.h"
#include "bus/jetstream_bus.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::cli::dev {
namespace {

/// Between two looks of the owner; a load's calls would flood its terminal.
constexpr std::size_t kMaxLines = 10;

}  // namespace

Result<std::unique_ptr<CallWatch>> CallWatch::start(const std::string& nats_url,
                                                    const terminal::Style& style) {
  std::unique_ptr<CallWatch> watch(new CallWatch(style));
  ASSIGN_OR_RETURN(watch->bus_, bus::connect_jetstream({.url = nats_url, .name = "toolway-dev"}));
  ASSIGN_OR_RETURN(watch->subscription_,
                   watch->bus_->follow(std::string(proto::kLiveFilter),
                                       [self = watch.get()](const bus::LiveMessage& message) {
                                         self->take(message.payload);
                                       }));
  return watch;
}

CallWatch::~CallWatch() { subscription_.reset(); }

void CallWatch::take(std::string_view payload) {
  const auto event = proto::decode_event(payload);
  // The gateway logs what cannot be read.
  if (!event) return;
  const MutexLock lock(mutex_);
  auto line = activity_.take(*event, style_);
  if (!line) return;
  if (ended_.lines.size() < kMaxLines)
    ended_.lines.push_back(*std::move(line));
  else
    ++ended_.more;
}

CallWatch::Ended CallWatch::ended() {
  const MutexLock lock(mutex_);
  return std::exchange(ended_, {});
}

std::string CallWatch::running(WallTime now) {
  const MutexLock lock(mutex_);
  return activity_.running(now);
}

}  // namespace toolway::cli::dev
