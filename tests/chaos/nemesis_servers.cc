// What the nemesis does to clocks, to frozen servers and to the disk.
#include <fmt/format.h>

#include <csignal>

#include "tests/chaos/freeze.h"
#include "tests/chaos/nemesis.h"

namespace toolway::chaos {

using std::chrono::seconds;

bool Nemesis::skew() {
  auto* member = somebody("");
  if (member == nullptr || !member->clock || member->clock->skewed()) return false;
  const auto ahead = random_.chance(0.5) ? seconds(3600) : seconds(-3600);
  const double duration = seconds_between(2000, 40000);
  member->clock->set(ahead);
  did("skew", fmt::format("{} by {} s for {:.1f} s", member->name(), ahead.count(), duration));
  later(duration, [member]() -> Result<void> {
    member->clock->set(seconds(0));
    return {};
  });
  return true;
}

double Nemesis::freeze_time() {
  return random_.chance(0.2) ? seconds_between(31000, 40000) : seconds_between(500, 12000);
}

bool Nemesis::freeze_nats() {
  if (fleet_.harmed().nats || std::chrono::steady_clock::now() < nats_whole_at_) return false;
  for (unsigned node = 0; node < fleet_.nats_nodes(); ++node)
    if (!fleet_.nats(node).alive()) return false;
  const auto node = static_cast<unsigned>(random_.between(0, fleet_.nats_nodes() - 1));
  const int pid = fleet_.nats(node).pid();
  const double duration = freeze_time();
  fleet_.harmed().nats = true;
  fleet_.outages().open({}, now_us());
  freeze(pid);
  did("freeze nats", fmt::format("node {} for {:.1f} s", node, duration));
  later(duration, [this, pid]() -> Result<void> {
    thaw(pid);
    fleet_.harmed().nats = false;
    fleet_.outages().close({}, now_us());
    if (fleet_.nats_nodes() > 1) nats_whole_at_ = std::chrono::steady_clock::now() + seconds(8);
    fleet_.forgive_nats();
    return {};
  });
  return true;
}

bool Nemesis::freeze_postgres() {
  auto& server = fleet_.postgres();
  if (fleet_.harmed().postgres || !server.alive()) return false;
  const int pid = server.pid();
  const double duration = freeze_time();
  fleet_.harmed().postgres = true;
  freeze(pid);
  did("freeze postgres", fmt::format("for {:.1f} s", duration));
  later(duration, [this, pid]() -> Result<void> {
    thaw(pid);
    fleet_.harmed().postgres = false;
    return {};
  });
  return true;
}

bool Nemesis::fill_disk() {
  auto* disk = fleet_.disk();
  if (disk == nullptr || disk->filled()) return false;
  const double duration = seconds_between(500, 8000);
  if (!disk->fill()) return false;
  did("fill disk", fmt::format("for {:.1f} s", duration));
  later(duration, [disk] { return disk->free(); });
  return true;
}

}  // namespace toolway::chaos
