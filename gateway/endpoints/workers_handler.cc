// GET /v1/workers: which workers there are.
#include "gateway/endpoints/workers_handler.h"

#include "base/try.h"
#include "gateway/wire/json_text.h"

namespace toolway::gateway::endpoints {
namespace {

constexpr std::size_t kWorkerText = 512;

void write_worker(std::string& out, const admission::HeardWorker& worker) {
  const v1::WorkerAnnouncement& said = worker.said;
  wire::ObjectText entry(out);
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

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> list_workers(admission::WorkerRoster& workers,
                                                          const answers::AnswerRoom& answers,
                                                          const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({"pool"}));
  auto listed = workers.list(routed.target.query("pool"));
  const std::size_t bytes = listed.size() * kWorkerText;
  auto write = [listed = std::move(listed)](std::string& out) mutable {
    admission::sort_by_pool(listed);
    wire::ObjectText object(out);
    object.begin("workers");
    wire::write_list(out, listed, [](std::string& text, const admission::HeardWorkerPtr& worker) {
      write_worker(text, *worker);
    });
    object.end();
  };
  wire::Response response;
  co_return co_await answers::written(answers, std::move(response), bytes,
                                      answers::Sent::kIfThereIsRoom, std::move(write));
}

}  // namespace toolway::gateway::endpoints
