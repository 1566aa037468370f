#include "tests/simulation/turns/talk.h"

#include "tests/simulation/clients.h"

namespace toolway::simulation::turns {

using std::chrono::milliseconds;
using std::chrono::seconds;

Talk::Talk(const Surroundings& around, Checker& checker, const Tables& tables, Broken broken,
           std::function<GatewayLife*()> gateway)
    : calls_(checker, around.server, tables),
      recorded_(tables),
      attempts_(around.world),
      turn_checker_(around.world, calls_, attempts_),
      order_checker_(around.world, calls_, attempts_),
      database_(around.world, recorded_, turn_checker_, order_checker_, broken),
      turns_{.around = around,
             .checker = checker,
             .tables = tables,
             .database = database_,
             .attempts = attempts_,
             .gateway = std::move(gateway)},
      talkers_(turns_) {}

void Talk::begin(unsigned most, Micros until) {
  World& world = turns_.around.world;
  const auto count = 1 + world.random().below(most);
  for (std::uint64_t i = 0; i < count; ++i) {
    // Some come at once.
    const Micros at = world.random().between(Micros(0), until / 2);
    const auto together = world.random().per_mille(300) ? 3 : 1;
    const auto session = session_key(world.random().below(kSessions));
    for (int n = 0; n < together; ++n)
      world.after(at + n * milliseconds(5),
                  [this, number = i * 3 + static_cast<std::uint64_t>(n), session, until] {
                    talkers_.say(number, session, until);
                  });
  }
  crash_later();
  part_later(until);
}

/// Longer than a turn asks again for its calls, so that it ends without their results.
void Talk::part_later(Micros until) {
  World& world = turns_.around.world;
  const Micros at = world.random().between(Micros(0), until / 2);
  const Micros lasts = world.random().between(seconds(65), seconds(180));
  if (!turns_.around.weather.strikes(Fault::kDisconnect, 250)) return;
  world.after(at, [this, lasts] {
    World& world = turns_.around.world;
    world.note("chat processes reach no gateway for {} s", lasts.count() / 1'000'000);
    turns_.apart_until = world.now() + lasts;
  });
}

void Talk::crash_later() {
  World& world = turns_.around.world;
  const Micros lasts = world.random().between(milliseconds(50), seconds(10));
  world.after(world.random().between(seconds(5), seconds(150)), [this, lasts] {
    if (turns_.around.weather.cleared()) return;
    if (turns_.around.weather.may(Fault::kStoreFailure)) database_.crash(lasts);
    crash_later();
  });
}

}  // namespace toolway::simulation::turns
