#include "cli/bench/measures/in_flight.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/try.h"
#include "cli/bench/figures/memory.h"
#include "cli/bench/kinds/kinds.h"
#include "cli/client/http_client.h"
#include "cli/stack/own_stack.h"

namespace toolway::cli::bench::measures {
namespace {

using Steady = std::chrono::steady_clock;

constexpr unsigned kPerBatch = 50;
constexpr std::chrono::seconds kMeasureTimeout{60};

/// Submits that many calls, a session per batch: none has more than its share.
Result<std::vector<std::string>> submit(client::HttpClient& client, const OrderedJson& call,
                                        unsigned calls) {
  std::vector<std::string> ids;
  while (ids.size() < calls) {
    const auto session = fmt::format("in-flight-{}", ids.size());
    auto opened =
        client.request("POST", "/v1/sessions",
                       to_text(OrderedJson{{"session_id", session}, {"namespaces", {"bench"}}}));
    if (!opened || !opened->ok()) {
      return fail(opened ? Error{ErrorCode::kInvalidRequest, opened->body, {}} : opened.error());
    }
    OrderedJson batch = {{"calls", OrderedJson::array()}};
    for (std::size_t i = 0; i < std::min<std::size_t>(kPerBatch, calls - ids.size()); ++i) {
      batch["calls"].push_back(call);
    }
    auto answer =
        client.request("POST", "/v1/sessions/" + session + "/calls:batch", to_text(batch));
    if (!answer || !answer->ok()) {
      return fail(answer ? Error{ErrorCode::kInvalidRequest, answer->body, {}} : answer.error());
    }
    const auto accepted = answer->json();
    for (const auto& one : accepted["calls"]) {
      if (!one.contains("call_id"))
        return fail(ErrorCode::kInvalidRequest, "a call was refused: " + to_text(one));
      ids.push_back(one["call_id"].get<std::string>());
    }
  }
  return ids;
}

/// How a call ended; empty: it has not.
std::string outcome_of(client::HttpClient& client, const std::string& call) {
  auto answer = client.request("GET", "/v1/calls/" + call);
  if (!answer || !answer->ok()) return {};
  const auto json = answer->json();
  return json.contains("outcome") && json["outcome"].is_string()
             ? json["outcome"].get<std::string>()
             : "";
}

}  // namespace

Result<InFlight> measure_in_flight(const options::BenchOptions& options,
                                   process::StopSignals& signals,
                                   const std::function<void(const std::string&)>& line) {
  ASSIGN_OR_RETURN(auto kind, kinds::KindUnderTest::create("http"));
  auto stack_options = options.stack;
  stack_options.workers = 1;
  // They fit in one lane: a worker keeps an eighth of its slots for a lane that has no calls.
  stack_options.pools = {fmt::format("http={}", options.in_flight + options.in_flight / 7 + 2)};
  kind->add_to(stack_options);
  line("starting a stack for this run");
  ASSIGN_OR_RETURN(auto own, stack::OwnStack::start(stack_options, signals));
  auto& stack = own->stack();
  ASSIGN_OR_RETURN(auto client,
                   client::HttpClient::create({.url = stack.url(), .user = options.user}));
  const int worker = stack.description()["pids"]["worker"][0].get<int>();
  auto& server = *kind->server();

  InFlight result{.calls = options.in_flight, .before_kb = figures::resident_kb(worker)};
  server.hold();
  const auto began = Steady::now();
  auto calls = submit(*client, kind->call(), options.in_flight);
  while (calls && server.held() < options.in_flight) {
    if (Steady::now() - began > kMeasureTimeout) {
      return fail(ErrorCode::kTimeout,
                  fmt::format("only {} of {} calls reached the server within {} s", server.held(),
                              options.in_flight, kMeasureTimeout.count()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  result.begun_s = std::chrono::duration<double>(Steady::now() - began).count();
  result.with_kb = figures::resident_kb(worker);
  server.release();
  RETURN_IF_ERROR(calls);
  for (const auto& call : *calls) {
    std::string outcome;
    for (const auto since = Steady::now();
         outcome.empty() && Steady::now() - since < kMeasureTimeout;) {
      outcome = outcome_of(*client, call);
      if (outcome.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    if (outcome != "succeeded") {
      return fail(ErrorCode::kToolFailed,
                  fmt::format("call {}: {}", call, outcome.empty() ? "did not end" : outcome));
    }
  }
  result.after_kb = figures::resident_kb(worker);
  return result;
}

}  // namespace toolway::cli::bench::measures
