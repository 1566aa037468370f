#include "cli/bench/measures/mcp_face.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/ids.h"
#include "base/mutex.h"
#include "base/os/file_io.h"
#include "base/try.h"
#include "cli/bench/connections/exchange.h"
#include "cli/bench/figures/load_record.h"
#include "cli/bench/figures/memory.h"
#include "cli/bench/figures/resources.h"
#include "cli/bench/measures/many_tools.h"
#include "cli/bench/measures/mcp_requests.h"
#include "cli/bench/measures/open_answers.h"
#include "cli/stack/own_stack.h"

namespace toolway::cli::bench::measures {
namespace {

using Steady = std::chrono::steady_clock;

constexpr unsigned kConnections = 16;
constexpr unsigned kAlone = 200;  ///< calls of one connection, each round
constexpr unsigned kLists = 300;
constexpr std::chrono::seconds kEach{2};

/// CPU of all its threads, in µs.
double cpu_us(int pid) {
  double ns = 0;
  std::error_code gone;
  const std::filesystem::path threads = fmt::format("/proc/{}/task", pid);
  for (const auto& thread : std::filesystem::directory_iterator(threads, gone)) {
    std::ifstream in(thread.path() / "schedstat");
    if (double ran = 0; in >> ran) ns += ran;
  }
  return ns / 1000;
}

double since_ms(Steady::time_point begun) {
  return std::chrono::duration<double, std::milli>(Steady::now() - begun).count();
}

/// How a face is called.
struct Face {
  std::string name;
  /// A request whose answer is the call's.
  std::function<std::string(std::size_t)> call;
  std::vector<double> rates{};
  std::vector<double> p50s{};
  std::vector<double> cpus_us{};
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

class McpFace {
 public:
  McpFace(const options::BenchOptions& options, const stack::Stack& stack, process::HostPort where,
          const std::function<void(const std::string&)>& progress)
      : options_(options),
        requests_(std::move(where), options.user),
        stack_(stack),
        gateway_(stack.description()["pids"]["gateway"][0].get<int>()),
        progress_(progress) {}

  Result<McpFaceResult> run() {
    RETURN_IF_ERROR(handshakes());
    RETURN_IF_ERROR(streams());
    RETURN_IF_ERROR(open_sessions());
    RETURN_IF_ERROR(calls());
    RETURN_IF_ERROR(lists());
    RETURN_IF_ERROR(questions());
    RETURN_IF_ERROR(ended_tasks());
    RETURN_IF_ERROR(waiting_tasks());
    return std::move(result_);
  }

 private:
  std::string name_of(std::size_t session) const {
    return fmt::format("face-{}-{}", run_, session % kConnections);
  }
  std::string mcp_path(std::size_t session) const { return "/mcp/" + name_of(session); }

  int threads() const {
    const auto use = figures::resource_use(gateway_);
    return use ? static_cast<int>(use->threads) : 0;
  }

  static OrderedJson echo() {
    return {{"name", "bench__echo"}, {"arguments", {{"payload", std::string(64, 'x')}}}};
  }

  Result<void> handshakes() {
    progress_(fmt::format("{} sessions by handshake", kFaceHandshakes));
    const auto request = requests_.initialize("/mcp", "2025-11-25");
    // The first ones grow what all need.
    const auto any = [&request](std::size_t) { return request; };
    RETURN_IF_ERROR(connections::ask_all(requests_.where(), kConnections * 10, any));
    const auto before = figures::resident_kb(gateway_);
    RETURN_IF_ERROR(connections::ask_all(requests_.where(), kFaceHandshakes, any));
    result_.per_session_kb =
        static_cast<double>(figures::resident_kb(gateway_) - before) / kFaceHandshakes;
    return {};
  }

  Result<void> streams() {
    progress_(fmt::format("{} streams", kFaceStreams));
    ASSIGN_OR_RETURN(const auto headers, requests_.handshake("/mcp", "2025-11-25"));
    const auto request = requests_.get("/mcp", headers);
    const auto before = figures::resident_kb(gateway_);
    OpenAnswers open;
    for (unsigned i = 0; i < kFaceStreams; ++i)
      RETURN_IF_ERROR(open.open(requests_.where(), request));
    RETURN_IF_ERROR(open.begun());
    result_.per_stream_kb =
        static_cast<double>(figures::resident_kb(gateway_) - before) / kFaceStreams;
    return {};
  }

  Result<void> open_sessions() {
    RETURN_IF_ERROR(connections::ask_all(requests_.where(), kConnections, [&](std::size_t i) {
      return requests_.post("/v1/sessions",
                            {{"session_id", name_of(i)}, {"namespaces", {"bench", "many"}}});
    }));
    for (unsigned i = 0; i < kConnections; ++i) {
      ASSIGN_OR_RETURN(headers_2025_06_.emplace_back(),
                       requests_.handshake(mcp_path(i), "2025-06-18"));
      ASSIGN_OR_RETURN(headers_2025_11_.emplace_back(),
                       requests_.handshake(mcp_path(i), "2025-11-25"));
    }
    return {};
  }

  std::vector<Face> faces() const {
    const OrderedJson rest{{"tool", "bench.echo"},
                           {"arguments", {{"payload", std::string(64, 'x')}}}};
    return {{"REST, Prefer: wait",
             [this, rest](std::size_t i) {
               return requests_.post("/v1/sessions/" + name_of(i) + "/calls", rest,
                                     "Prefer: wait=30\r\n");
             }},
            {"MCP 2025-06-18",
             [this](std::size_t i) {
               return requests_.older(mcp_path(i), headers_2025_06_[i % kConnections], "tools/call",
                                      echo());
             }},
            {"MCP 2025-11-25",
             [this](std::size_t i) {
               return requests_.older(mcp_path(i), headers_2025_11_[i % kConnections], "tools/call",
                                      echo());
             }},
            {"MCP 2026-07-28", [this](std::size_t i) {
               return requests_.newer(mcp_path(i), "tools/call", echo(), "bench__echo");
             }}};
  }

  Result<void> calls() {
    auto measured = faces();
    for (unsigned round = 0; round <= options_.rounds; ++round) {
      for (auto& face : measured) {
        progress_(fmt::format("calls, round {} of {}: {}", round, options_.rounds, face.name));
        ASSIGN_OR_RETURN(auto alone, repeat(1, kAlone, std::chrono::seconds(0), face.call));
        const double before = cpu_us(gateway_);
        ASSIGN_OR_RETURN(const auto many, repeat(kConnections, 0, kEach, face.call));
        const double cpu = cpu_us(gateway_) - before;
        if (round == 0) continue;  // it warms up
        face.p50s.push_back(figures::percentile(alone.times_ms, 0.5));
        face.rates.push_back(many.per_s);
        face.cpus_us.push_back(cpu / static_cast<double>(many.times_ms.size()));
      }
    }
    const auto& rest = measured.front();
    for (const auto& face : measured) {
      std::vector<double> ratios;
      std::vector<double> over;
      for (std::size_t i = 0; i < face.rates.size(); ++i) {
        ratios.push_back(face.rates[i] / rest.rates[i]);
        over.push_back(face.p50s[i] - rest.p50s[i]);
      }
      result_.calls.push_back({.name = face.name,
                               .calls_per_s = median(face.rates),
                               .p50_ms = median(face.p50s),
                               .ratio = median(ratios),
                               .over_ms = median(over),
                               .gateway_us = median(face.cpus_us)});
    }
    return {};
  }

  Result<void> lists() {
    progress_(fmt::format("lists of {} tools", kFaceTools));
    const auto request = requests_.newer(mcp_path(0), "tools/list", OrderedJson::object(), "");
    ASSIGN_OR_RETURN(auto measured, repeat(1, kLists, std::chrono::seconds(0),
                                           [&request](std::size_t) { return request; }));
    result_.list_p99_ms = figures::percentile(measured.times_ms, 0.99);
    return {};
  }

  Result<void> questions() {
    progress_(fmt::format("{} calls that wait for an answer", kFaceQuestions));
    std::vector<AskingClient> clients;
    for (unsigned i = 0; i < kConnections; ++i)
      clients.push_back({.path = mcp_path(i), .headers = headers_2025_11_[i]});
    const auto about = stack_.description();
    const WorkerAtHand worker{.pid = about["pids"]["worker"][0].get<int>(),
                              .metrics_url = about["metrics"]["worker"][0].get<std::string>()};
    ASSIGN_OR_RETURN(result_.questions, measure_parked(requests_, clients, worker, kFaceQuestions));
    return {};
  }

  Result<Polls> poll(const std::vector<std::string>& tasks) {
    ASSIGN_OR_RETURN(auto measured, repeat(kConnections, 0, kEach * 2, [&](std::size_t i) {
                       const auto& task = tasks[i % tasks.size()];
                       return requests_.newer(mcp_path(i % tasks.size()), "tasks/get",
                                              {{"taskId", task}}, task);
                     }));
    return Polls{.per_s = measured.per_s, .p99_ms = figures::percentile(measured.times_ms, 0.99)};
  }

  Result<void> ended_tasks() {
    progress_("tasks that have ended");
    const auto face = faces().front();
    ASSIGN_OR_RETURN(const auto tasks, requests_.ids_of(kFaceTasks, face.call, "\"call_id\""));
    ASSIGN_OR_RETURN(result_.ended, poll(tasks));
    return {};
  }

  Result<void> waiting_tasks() {
    progress_(fmt::format("{} tasks, and what waits for them", kFaceTasks));
    const OrderedJson work{{"name", "bench__work"},
                           {"arguments", {{"wait_ms", 600'000}}},
                           {"task", OrderedJson::object()}};
    const auto of_session = [&](std::size_t i, const std::string& method, OrderedJson params) {
      return requests_.older(mcp_path(i), headers_2025_11_[i % kConnections], method,
                             std::move(params));
    };
    const auto begin = [&](std::size_t i) { return of_session(i, "tools/call", work); };
    ASSIGN_OR_RETURN(const auto tasks, requests_.ids_of(kFaceTasks, begin, "\"taskId\""));
    result_.threads_before = threads();
    const auto before = figures::resident_kb(gateway_);
    {
      OpenAnswers results;
      for (std::size_t i = 0; i < tasks.size(); ++i)
        RETURN_IF_ERROR(
            results.open(requests_.where(), of_session(i, "tasks/result", {{"taskId", tasks[i]}})));
      RETURN_IF_ERROR(results.begun());
      result_.threads_waiting = threads();
      result_.per_result_kb =
          static_cast<double>(figures::resident_kb(gateway_) - before) / kFaceTasks;
    }
    ASSIGN_OR_RETURN(result_.waiting, poll(tasks));
    return connections::ask_all(requests_.where(), tasks.size(), [&](std::size_t i) {
      return requests_.post("/v1/calls/" + tasks[i] + "/cancel", OrderedJson::object());
    });
  }

  struct Repeated {
    double per_s = 0;
    std::vector<float> times_ms;
  };
  /// Asks again and again over that many connections: `count` times each, or for so long.
  Result<Repeated> repeat(unsigned connections, unsigned count, std::chrono::seconds how_long,
                          const std::function<std::string(std::size_t)>& request) {
    Repeated all;
    Mutex mutex;
    Result<void> went;  // under the mutex, as `all`
    std::atomic<std::size_t> next{0};
    const auto begun = Steady::now();
    const auto one = [&]() -> Result<void> {
      ASSIGN_OR_RETURN(auto exchange, connections::Exchange::create(requests_.where()));
      std::vector<float> times;
      for (unsigned i = 0; count > 0 ? i < count : Steady::now() - begun < how_long; ++i) {
        const auto text = request(next++);
        const auto asked = Steady::now();
        ASSIGN_OR_RETURN(const auto answer, exchange.ask(text));
        times.push_back(static_cast<float>(since_ms(asked)));
        if (answer.status != 200 || answer.body.find("\"error\":{") != std::string_view::npos)
          return fail(ErrorCode::kInvalidRequest,
                      fmt::format("HTTP {}: {}", answer.status, answer.body.substr(0, 500)));
      }
      const MutexLock lock(mutex);
      all.times_ms.insert(all.times_ms.end(), times.begin(), times.end());
      return {};
    };
    {
      std::vector<std::jthread> threads;
      for (unsigned i = 0; i < connections; ++i)
        threads.emplace_back([&] {
          auto done = one();
          if (done) return;
          const MutexLock lock(mutex);
          went = std::move(done);
        });
    }
    RETURN_IF_ERROR(went);
    all.per_s = static_cast<double>(all.times_ms.size()) / (since_ms(begun) / 1000);
    return all;
  }

  const options::BenchOptions& options_;
  const McpRequests requests_;
  const stack::Stack& stack_;
  const int gateway_;
  const std::function<void(const std::string&)>& progress_;
  const std::string run_ = random_hex(4);
  std::vector<std::string> headers_2025_06_;
  std::vector<std::string> headers_2025_11_;
  McpFaceResult result_;
};

}  // namespace

Result<McpFaceResult> measure_mcp_face(const options::BenchOptions& options,
                                       process::StopSignals& signals,
                                       const std::function<void(const std::string&)>& progress) {
  ASSIGN_OR_RETURN(const auto tools, ManyTools::create(kFaceTools));
  auto stack_options = options.stack;
  stack_options.specs.push_back(tools->file());
  stack_options.park_after_s = 1;
  progress("starting a stack for this run");
  ASSIGN_OR_RETURN(const auto own, stack::OwnStack::start(stack_options, signals));
  ASSIGN_OR_RETURN(auto where, process::parse_host_port(
                                   own->stack().url().substr(std::string_view("http://").size())));
  return McpFace(options, own->stack(), std::move(where), progress).run();
}

}  // namespace toolway::cli::bench::measures
