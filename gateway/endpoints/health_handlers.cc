#include "gateway/endpoints/handlers.h"
#include "gateway/wire/json_text.h"

namespace toolway::gateway {
namespace {

std::string_view words_of(BusHealth nats) {
  if (nats.connection != bus::Connection::kConnected) return "does not answer";
  return nats.answers() ? "ok" : "JetStream does not answer";
}

std::string_view words_of(const Result<void>& postgres) {
  if (postgres) return "ok";
  return postgres.error().code == ErrorCode::kStoreUnavailable ? "does not answer" : "not migrated";
}

}  // namespace

/// Asks no server: everything was learnt within the last second, so the answer comes at once.
Response readyz(const Services& services) {
  const BusHealth nats = services.bus_watch.health();
  const bool switches = services.switches.known();
  // Not Postgres, which is reported below: without it calls are accepted, run and streamed.
  const bool ready = nats.answers() && switches && !services.drain.begun();
  Response response{.status = ready ? 200U : 503U};
  if (!ready) response.headers = "retry-after: 1\r\n";
  ObjectText object(response.body);
  object.text("status", ready ? "ready" : "not_ready");
  object.text("nats", words_of(nats));
  object.text("switches", switches ? "ok" : "not read yet");
  // Only reported: a gateway follows NATS' clock, and if that were wrong, no gateway would stay
  // ready.
  object.text("clock", services.options.clock_in_words());
  object.text("postgres", words_of(services.store.ready()));
  object.boolean("draining", services.drain.begun());
  object.end();
  return response;
}

}  // namespace toolway::gateway
