#include "gateway/endpoints/health_handlers.h"

#include "gateway/wire/json_text.h"

namespace toolway::gateway::endpoints {
namespace {

std::string_view words_of(admission::BusHealth nats) {
  if (nats.connection != bus::Connection::kConnected) return "does not answer";
  return nats.answers() ? "ok" : "JetStream does not answer";
}

std::string_view words_of(const Result<void>& postgres) {
  if (postgres) return "ok";
  return postgres.error().code == ErrorCode::kStoreUnavailable ? "does not answer" : "not migrated";
}

}  // namespace

wire::Response readyz(const Health& health) {
  // Not Postgres, which is reported below: without it calls are accepted, run and streamed.
  const bool ready = health.nats.answers() && health.switches && health.policies_known &&
                     health.auth_known && !health.draining;
  wire::Response response{.status = ready ? 200U : 503U};
  if (!ready) response.headers = "retry-after: 1\r\n";
  wire::ObjectText object(response.body);
  object.text("status", ready ? "ready" : "not_ready");
  object.text("nats", words_of(health.nats));
  object.text("switches", health.switches ? "ok" : "not read yet");
  object.text("policies", health.policies);
  if (!health.auth.empty()) object.text("auth", health.auth);
  // Only reported: a gateway follows NATS' clock, and if that were wrong, no gateway would stay
  // ready.
  object.text("clock", health.clock);
  object.text("postgres", words_of(health.postgres));
  object.boolean("draining", health.draining);
  if (health.durability) object.text("durability", name_of(*health.durability));
  object.end();
  return response;
}

}  // namespace toolway::gateway::endpoints
