#include "cli/bench/measures/lifecycle.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/ids.h"
#include "base/try.h"
#include "cli/bench/connections/exchange.h"
#include "cli/bench/connections/followers.h"
#include "cli/bench/figures/load_record.h"
#include "cli/bench/figures/memory.h"
#include "cli/bench/results/judged_table.h"

namespace toolway::cli::bench::measures {
namespace {

using Steady = std::chrono::steady_clock;
constexpr unsigned kCloses = 500;
constexpr unsigned kRestored = 10;  ///< sessions, each closed and restored so often:
constexpr unsigned kRestores = 50;
constexpr unsigned kUnread = 100;

/// Adds the milliseconds since `begun`.
void add_since(std::vector<float>& times, Steady::time_point begun) {
  times.push_back(std::chrono::duration<float, std::milli>(Steady::now() - begun).count());
}

double seconds_since(Steady::time_point begun) {
  return std::chrono::duration<double>(Steady::now() - begun).count();
}

class Lifecycle {
 public:
  Lifecycle(const options::BenchOptions& options, const process::HostPort& where,
            const std::function<void(const std::string&)>& progress)
      : options_(options), where_(where), progress_(progress) {}

  Result<void> closes(LifecycleResult& result) {
    progress_("closing idle sessions");
    ASSIGN_OR_RETURN(auto exchange, connections::Exchange::create(where_));
    std::vector<float> times;
    for (unsigned i = 0; i < kCloses; ++i) {
      const auto name = fmt::format("close-{}-{}", run_, i);
      RETURN_IF_ERROR(expect(exchange, open(name), 201));
      const auto request = post(name, "/close", "{}");
      const auto begun = Steady::now();
      RETURN_IF_ERROR(expect(exchange, request, 200));
      add_since(times, begun);
    }
    result.close_p50_ms = figures::percentile(times, 0.5);
    result.close_p99_ms = figures::percentile(times, 0.99);
    return {};
  }

  Result<void> restores(LifecycleResult& result) {
    progress_(fmt::format("restoring sessions with {} unread completions", kUnread));
    ASSIGN_OR_RETURN(auto exchange, connections::Exchange::create(where_));
    OrderedJson batch = {{"calls", OrderedJson::array()}};
    for (unsigned i = 0; i < kUnread; ++i) batch["calls"].push_back(call());
    std::vector<float> times;
    for (unsigned i = 0; i < kRestored; ++i) {
      const auto name = fmt::format("restore-{}-{}", run_, i);
      RETURN_IF_ERROR(expect(exchange, open(name), 201));
      RETURN_IF_ERROR(
          expect(exchange, post(name, "/calls:batch", to_text(batch), "Prefer: wait=30\r\n"), 200));
      const auto close = post(name, "/close", "{}");
      const auto restore = post(name, "/restore", "{}");
      for (unsigned j = 0; j < kRestores; ++j) {
        RETURN_IF_ERROR(expect(exchange, close, 200));
        const auto begun = Steady::now();
        const auto restored = exchange.ask(restore);
        add_since(times, begun);
        RETURN_IF_ERROR(restored);
        const auto unread =
            OrderedJson::parse(restored->body, nullptr, false).value("completions", OrderedJson());
        if (unread.size() != kUnread)
          return fail(ErrorCode::kInternal, fmt::format("{} of {} unread completions were there",
                                                        unread.size(), kUnread));
      }
    }
    result.restore_p50_ms = figures::percentile(times, 0.5);
    result.restore_p99_ms = figures::percentile(times, 0.99);
    return {};
  }

  Result<void> sessions(LifecycleResult& result, int gateway) {
    result.sessions = options_.sessions;
    const auto before = figures::resident_kb(gateway);
    progress_(fmt::format("opening {} sessions", result.sessions));
    RETURN_IF_ERROR(connections::ask_all(where_, result.sessions,
                                         [&](std::size_t i) { return open(follower_name(i)); }));
    result.per_session_kb =
        figures::GatewayMemory{.before = before, .sessions = figures::resident_kb(gateway)}
            .per_session_kb(result.sessions);
    return {};
  }

  /// Every stream breaks, its session gets a call while it is down, and all reconnect at once.
  Result<void> followers(LifecycleResult& result) {
    result.followers = std::min<std::size_t>(options_.followers, options_.sessions);
    if (result.followers == 0) return {};
    std::vector<std::string> names;
    for (std::size_t i = 0; i < result.followers; ++i) names.push_back(follower_name(i));
    const int epoll = epoll_create1(EPOLL_CLOEXEC);
    connections::Followers streams({where_}, {options_.user, options_.tokens}, epoll, 0);
    auto measured = reconnect(streams, epoll, names, result);
    close(epoll);
    return measured;
  }

 private:
  Result<void> reconnect(connections::Followers& streams, int epoll,
                         const std::vector<std::string>& names, LifecycleResult& result) {
    progress_(fmt::format("{} followers", names.size()));
    RETURN_IF_ERROR(streams.connect(names));
    std::vector<unsigned> completed(names.size(), 0);
    if (auto read =
            read_until(streams, epoll, completed, [&] { return streams.open() == names.size(); });
        !read)
      return read;
    RETURN_IF_ERROR(call_each(names));
    RETURN_IF_ERROR(read_until(streams, epoll, completed, [&] { return all_have(completed, 1); }));
    streams.disconnect();
    RETURN_IF_ERROR(call_each(names));
    progress_("all reconnect at once");
    const auto begun = Steady::now();
    RETURN_IF_ERROR(streams.connect_again());
    double opened = 0;
    auto read = read_until(streams, epoll, completed, [&] {
      if (opened == 0 && streams.open() == names.size()) opened = seconds_since(begun);
      return opened > 0 && all_have(completed, 2);
    });
    result.opened_s = opened;
    result.served_s = seconds_since(begun);
    return read;
  }

  static bool all_have(const std::vector<unsigned>& completed, unsigned count) {
    return std::all_of(completed.begin(), completed.end(),
                       [count](unsigned n) { return n >= count; });
  }

  template <typename Done>
  static Result<void> read_until(connections::Followers& streams, int epoll,
                                 std::vector<unsigned>& completed, Done done) {
    constexpr std::chrono::seconds kStreamsTimeout{60};
    const auto give_up = Steady::now() + kStreamsTimeout;
    std::array<epoll_event, 512> events;
    while (!done()) {
      if (Steady::now() > give_up)
        return fail(ErrorCode::kTimeout,
                    fmt::format("after {} s only {} of {} streams are open",
                                kStreamsTimeout.count(), streams.open(), streams.count()));
      const int count = epoll_wait(epoll, events.data(), static_cast<int>(events.size()), 100);
      for (int i = 0; i < count; ++i) {
        const auto index = events[static_cast<std::size_t>(i)].data.u64;
        auto read = streams.read(index, [&](const connections::WireEvents::Event& event) {
          if (event.type == "completed") ++completed[index];
        });
        RETURN_IF_ERROR(read);
      }
    }
    return {};
  }

  Result<void> call_each(const std::vector<std::string>& names) {
    const auto body = to_text(call());
    return connections::ask_all(where_, names.size(), [&](std::size_t i) {
      return post(names[i], "/calls", body, "Prefer: wait=30\r\n");
    });
  }

  static OrderedJson call() {
    return {{"tool", "bench.echo"}, {"arguments", {{"payload", std::string(64, 'x')}}}};
  }
  std::string follower_name(std::size_t i) const { return fmt::format("many-{}-{}", run_, i); }
  std::string open(const std::string& name) const {
    const OrderedJson body = {{"session_id", name}, {"namespaces", {"bench"}}};
    return connections::bytes_of({.method = "POST", .path = "/v1/sessions", .body = to_text(body)},
                                 where_, {options_.user, options_.tokens});
  }
  std::string post(const std::string& session, const char* what, const std::string& body,
                   const std::string& headers = "") const {
    return connections::bytes_of({.method = "POST",
                                  .path = "/v1/sessions/" + session + what,
                                  .body = body,
                                  .headers = headers},
                                 where_, {options_.user, options_.tokens});
  }
  static Result<void> expect(connections::Exchange& exchange, const std::string& request,
                             int status) {
    ASSIGN_OR_RETURN(const auto answer, exchange.ask(request));
    if (answer.status == status) return {};
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("HTTP {} instead of {}: {}", answer.status, status, answer.body));
  }

  const options::BenchOptions& options_;
  const process::HostPort& where_;
  const std::function<void(const std::string&)>& progress_;
  const std::string run_ = random_hex(4);
};

}  // namespace

Result<LifecycleResult> measure_lifecycle(const options::BenchOptions& options,
                                          const process::HostPort& where, int gateway,
                                          const std::function<void(const std::string&)>& progress) {
  LifecycleResult result;
  Lifecycle lifecycle(options, where, progress);
  RETURN_IF_ERROR(lifecycle.closes(result));
  RETURN_IF_ERROR(lifecycle.restores(result));
  RETURN_IF_ERROR(lifecycle.sessions(result, gateway));
  RETURN_IF_ERROR(lifecycle.followers(result));
  return result;
}

bool report_lifecycle(const LifecycleResult& result, const terminal::Style& style) {
  const std::vector<results::JudgedFigure> figures{
      {"close of an idle session",
       fmt::format("{:.2f} / {:.2f} ms", result.close_p50_ms, result.close_p99_ms), "p99 <= 2 ms",
       result.close_p99_ms <= 2},
      {fmt::format("restore with {} unread completions", kUnread),
       fmt::format("{:.2f} / {:.2f} ms", result.restore_p50_ms, result.restore_p99_ms),
       "p99 <= 10 ms", result.restore_p99_ms <= 10},
      {fmt::format("memory of each of {} open sessions", result.sessions),
       fmt::format("{:.2f} KB", result.per_session_kb), "<= 10 KB", result.per_session_kb <= 10},
      {fmt::format("{} followers reconnect at once", result.followers),
       fmt::format("{:.2f} s, {:.2f} s with what they missed", result.opened_s, result.served_s),
       "<= 2 s", result.opened_s <= 2},
  };
  return results::print_judged_table(figures, "WHAT", "P50 / P99", style);
}

}  // namespace toolway::cli::bench::measures
