#include "tests/simulation/turns/talkers.h"

namespace toolway::simulation::turns {

using std::chrono::milliseconds;
using std::chrono::seconds;

Json Talkers::draw(std::uint64_t number) {
  Random& random = turns_.around.world.random();
  const auto what = random.below(100);
  const auto busy = random.below(100);
  const bool wakes = random.per_mille(700);
  if (what < 8) return {{"step", "new"}};
  Json arguments{{"step", "send"}, {"content", fmt::format("message {}", number)}};
  if (busy < 30) arguments["on_busy"] = busy < 10 ? "refuse" : "interrupt";
  arguments["options"] = {{"on_completion", wakes ? "turn" : "wait"}};
  return arguments;
}

void Talkers::say(std::uint64_t number, const std::string& session_key, Micros until) {
  const auto request = turn_request(turns_, session_key, draw(number));
  const bool keyed = turns_.around.world.random().per_mille(600);
  const auto key = keyed ? fmt::format("turn{}", number) : std::string();
  send(request, key);
  if (keyed) repeat_later(request, key, until);
  cancel_later(request.call_id());
}

void Talkers::send(const v1::CallRequest& request, const std::string& key) {
  GatewayLife* const gateway = turns_.gateway();
  if (gateway == nullptr) return;
  turns_.around.world.note("a user asks for {}: {}", request.call_id(), request.arguments());
  gateway->process().after(Micros(0), [gateway, request, key] {
    key.empty() ? gateway->submit(request) : gateway->submit(request, key);
  });
}

void Talkers::repeat_later(v1::CallRequest request, const std::string& key, Micros until) {
  const auto& around = turns_.around;
  const Micros when = around.world.random().between(milliseconds(500), seconds(40));
  if (!around.weather.strikes(Fault::kRepeat, 500) || around.world.now() + when > until) return;
  request.set_call_id(fmt::format("0192a000-0000-7000-8002-{:012x}", ++turns_.turns_made));
  request.set_on_behalf(request.call_id());
  around.world.after(when, [this, request, key] { send(request, key); });
}

void Talkers::cancel_later(const std::string& call) {
  const auto& around = turns_.around;
  const Micros soon = around.world.random().between(Micros(0), seconds(3));
  const Micros later = around.world.random().between(Micros(0), seconds(40));
  const Micros when = around.world.random().per_mille(500) ? soon : later;
  if (!around.weather.strikes(Fault::kCancel, 200)) return;
  around.world.after(when, [this, call] {
    const auto found = turns_.checker.calls().find(call);
    GatewayLife* const gateway = turns_.gateway();
    if (found == turns_.checker.calls().end() || found->second.stored == 0 || gateway == nullptr)
      return;
    gateway->process().after(Micros(0), [this, gateway, request = found->second.request] {
      gateway->cancel(request, turns_.tables);
    });
  });
}

}  // namespace toolway::simulation::turns
