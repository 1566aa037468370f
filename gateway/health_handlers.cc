#include "gateway/handlers.h"
#include "gateway/json_text.h"

namespace toolway::gateway {

Task<Answer<Response>> readyz(Services& services) {
  using std::chrono::steady_clock;
  auto& ping = services.store_ping;
  if (!ping.at || steady_clock::now() - *ping.at > std::chrono::seconds(1)) {
    auto read = [](persistence::StoreReader& store) { return store.ping(); };
    const auto pinged = co_await services.store.run<void>(std::move(read));
    ping = {steady_clock::now(), pinged.has_value()};
  }
  const bool nats = services.bus.connected();
  const bool switches = services.switches.known();
  // Not Postgres, which is told below: without it calls are accepted, run and streamed.
  const bool ready = nats && switches && !services.draining;
  Response response{.status = ready ? 200U : 503U};
  if (!ready) response.headers = "retry-after: 1\r\n";
  ObjectText object(response.body);
  object.text("status", ready ? "ready" : "not_ready");
  object.text("nats", nats ? "ok" : "does not answer");
  object.text("switches", switches ? "ok" : "not read yet");
  // Only told: a gateway goes by NATS' clock, and were NATS' own wrong, no gateway would be left.
  object.text("clock", services.options.clock_in_words());
  object.text("postgres", ping.ok ? "ok" : "does not answer");
  object.boolean("draining", services.draining);
  object.end();
  co_return response;
}

}  // namespace toolway::gateway
