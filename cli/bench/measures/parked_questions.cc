#include "cli/bench/measures/parked_questions.h"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <thread>

#include "base/try.h"
#include "cli/bench/connections/exchange.h"
#include "cli/bench/connections/metrics_page.h"
#include "cli/bench/figures/memory.h"
#include "cli/bench/figures/resources.h"

namespace toolway::cli::bench::measures {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::seconds kStepTimeout{120};
constexpr std::chrono::milliseconds kLook{50};

double since_s(Steady::time_point begun) {
  return std::chrono::duration<double>(Steady::now() - begun).count();
}

Result<void> until(const std::string& what, const std::function<Result<bool>()>& is_so) {
  const auto late = Steady::now() + kStepTimeout;
  for (;;) {
    ASSIGN_OR_RETURN(const bool so, is_so());
    if (so) return {};
    if (Steady::now() >= late) return fail(ErrorCode::kTimeout, what + " took over two minutes");
    std::this_thread::sleep_for(kLook);
  }
}

/// Values of the worker's metrics.
class WorkerFigures {
 public:
  static Result<WorkerFigures> read(const WorkerAtHand& worker) {
    ASSIGN_OR_RETURN(auto page, connections::metrics_page(worker.metrics_url));
    return WorkerFigures(std::move(page));
  }
  double at(std::string_view metric) const {
    return figures::largest_value(text_, metric).value_or(0);
  }

 private:
  explicit WorkerFigures(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

Result<void> until_ended(const McpRequests& requests, const std::vector<AskingClient>& clients,
                         const std::vector<std::string>& ids) {
  ASSIGN_OR_RETURN(auto exchange, connections::Exchange::create(requests.where()));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto& client = clients[i % clients.size()];
    const auto look =
        requests.older(client.path, client.headers, "tasks/get", {{"taskId", ids[i]}});
    RETURN_IF_ERROR(until("the end of an answered call", [&]() -> Result<bool> {
      ASSIGN_OR_RETURN(const auto answer, exchange.ask(look));
      if (answer.body.find("\"status\":\"failed\"") != std::string_view::npos)
        return fail(ErrorCode::kInvalidRequest, "a call failed: " + std::string(answer.body));
      return answer.body.find("\"status\":\"completed\"") != std::string_view::npos;
    }));
  }
  return {};
}

}  // namespace

Result<ParkedQuestions> measure_parked(const McpRequests& requests,
                                       const std::vector<AskingClient>& clients,
                                       const WorkerAtHand& worker, std::size_t count) {
  ParkedQuestions measured;
  const auto memory = figures::resident_kb(worker.pid);
  const auto threads = figures::resource_use(worker.pid);
  ASSIGN_OR_RETURN(const auto before, WorkerFigures::read(worker));
  constexpr const char* kParked = "toolway_worker_parked_total";
  constexpr const char* kUsed = "toolway_worker_slots_used";
  const auto begun = Steady::now();
  const OrderedJson call{{"name", "bench__ask"},
                         {"arguments", OrderedJson::object()},
                         {"task", OrderedJson::object()}};
  const auto call_of = [&](std::size_t i) {
    const auto& client = clients[i % clients.size()];
    return requests.older(client.path, client.headers, "tools/call", call);
  };
  ASSIGN_OR_RETURN(const auto ids, requests.ids_of(count, call_of, "\"taskId\""));
  RETURN_IF_ERROR(until("parking", [&]() -> Result<bool> {
    ASSIGN_OR_RETURN(const auto now, WorkerFigures::read(worker));
    measured.slots_used = now.at(kUsed);
    return now.at(kParked) - before.at(kParked) >= static_cast<double>(count);
  }));
  measured.parked_s = since_s(begun);
  const auto parked = figures::resource_use(worker.pid);
  measured.threads_more =
      threads && parked ? static_cast<int>(parked->threads - threads->threads) : 0;
  measured.each_kb =
      static_cast<double>(figures::resident_kb(worker.pid) - memory) / static_cast<double>(count);
  const auto answering = Steady::now();
  const OrderedJson answer{
      {"answers", {{"question", {{"action", "accept"}, {"content", OrderedJson::object()}}}}}};
  RETURN_IF_ERROR(connections::ask_all(requests.where(), ids.size(), [&](std::size_t i) {
    return requests.post("/v1/calls/" + ids[i] + "/input", answer);
  }));
  RETURN_IF_ERROR(until_ended(requests, clients, ids));
  measured.answered_s = since_s(answering);
  return measured;
}

}  // namespace toolway::cli::bench::measures
