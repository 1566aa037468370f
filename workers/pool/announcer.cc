#include "workers/pool/announcer.h"

#include <unistd.h>

#include <array>

#include "proto/subjects.h"
#include "proto/toolway/v1/control.pb.h"

namespace toolway::workers::pool {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

Announcer::Announcer(call::WorkerContext& context, const Slots& slots)
    : context_(context), slots_(slots), started_at_us_(to_unix_us(context.clock.wall())) {}

void Announcer::tell() {
  v1::WorkerAnnouncement word;
  const WorkerOptions& options = context_.options;
  word.set_worker_id(options.worker_id);
  word.set_pool(options.pool);
  word.set_slots(static_cast<std::uint32_t>(options.slots));
  word.set_started_at_us(started_at_us_);
  word.set_host(host_name());
  word.set_process(static_cast<std::uint32_t>(getpid()));
  word.set_mocked(context_.tools.mocked());
  word.mutable_models()->Assign(options.models.begin(), options.models.end());
  for (const auto& one : context_.permits.full()) {
    auto& full = *word.add_full_limits();
    full.set_limit(one.asked.limit);
    full.set_key(one.asked.key);
    full.set_most(one.asked.most);
    full.set_since_us(to_unix_us(one.since));
  }
  {
    const MutexLock lock(slots_.mutex);
    word.set_held(static_cast<std::uint32_t>(slots_.shares.held()));
    word.set_draining(slots_.draining);
    word.set_paused(slots_.paused);
  }
  context_.bus.tell(proto::worker_subject(options.pool, options.worker_id),
                    word.SerializeAsString());
}

}  // namespace toolway::workers::pool
