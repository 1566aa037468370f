#include "tests/simulation/turns/talk.h"

#include "tests/simulation/clients.h"

namespace toolway::simulation::turns {

using std::chrono::milliseconds;
using std::chrono::seconds;

Talk::Talk(const Surroundings& around, Checker& checker, const Tables& tables, Broken broken,
           std::function<GatewayLife*()> gateway)
    : calls_(checker),
      recorded_(tables),
      turn_checker_(around.world, calls_),
      database_(around.world, recorded_, turn_checker_, broken),
      turns_{.around = around,
             .checker = checker,
             .tables = tables,
             .database = database_,
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
