// GET /v1/workers: who is there.
#include "gateway/handlers.h"
#include "gateway/json_text.h"

namespace toolway::gateway {

Answer<Response> list_workers(Services& services, const Asked& asked) {
  if (auto known = asked.target.only({"pool"}); !known) return refuse(std::move(known.error()));
  const auto pool = asked.target.query("pool");
  Response response;
  std::string& out = response.body;
  ObjectText object(out);
  object.begin("workers");
  char separator = '[';
  for (const HeardWorker& worker : services.workers.list()) {
    const v1::WorkerAnnouncement& said = worker.said;
    if (pool && said.pool() != *pool) continue;
    out.push_back(std::exchange(separator, ','));
    ObjectText entry(out);
    entry.text("worker_id", said.worker_id());
    entry.text("pool", said.pool());
    entry.number("slots", said.slots());
    entry.number("held", said.held());
    entry.boolean("draining", said.draining());
    entry.boolean("paused", said.paused());
    entry.boolean("mocked", said.mocked());
    entry.text_or_null("host", said.host());
    entry.number("process", said.process());
    entry.time_us("started_at", said.started_at_us());
    entry.time_us("last_heard_at", to_unix_us(worker.wall));
    entry.end();
  }
  if (separator == '[') out.push_back('[');
  out.push_back(']');
  object.end();
  return response;
}

}  // namespace toolway::gateway
