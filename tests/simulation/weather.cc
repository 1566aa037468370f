#include "tests/simulation/weather.h"

namespace toolway::simulation {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string_view fault_name(Fault fault) {
  switch (fault) {
    case Fault::kLostMessage: return "lost messages";
    case Fault::kLostAnswer: return "lost answers";
    case Fault::kLate: return "late messages";
    case Fault::kLostSettle: return "lost acks";
    case Fault::kReplicaBehind: return "lagging replicas";
    case Fault::kLiveDropped: return "live events dropped";
    case Fault::kCrash: return "crashes";
    case Fault::kPause: return "pauses";
    case Fault::kDisconnect: return "disconnections";
    case Fault::kServerRestart: return "restarts of the server";
    case Fault::kRemadeDurable: return "durables made again";
    case Fault::kWindow: return "windows that move";
    case Fault::kSkewedClock: return "skewed clocks";
    case Fault::kClockJump: return "clocks that jump";
    case Fault::kCancel: return "cancellations";
    case Fault::kStoreFailure: return "failures of the store";
    case Fault::kRepeat: return "repeated requests";
    case Fault::kForge: return "calls published past their approval";
  }
  return "";
}

Micros Weather::latency() {
  Random& random = world_.random();
  const auto draw = random.below(1000);
  const Micros usual = random.between(Micros(50), Micros(1500));
  const Micros rather = random.between(milliseconds(5), milliseconds(800));
  const Micros very = random.between(seconds(1), seconds(40));
  if (!may(Fault::kLate) || draw >= 40) return usual;
  return draw < 4 ? very : rather;
}

}  // namespace toolway::simulation
