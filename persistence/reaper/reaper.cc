#include "persistence/reaper/reaper.h"

#include <spdlog/spdlog.h>

#include <thread>

#include "base/pause.h"
#include "base/try.h"
#include "persistence/reaper/call_reaper.h"
#include "persistence/reaper/closed_sessions.h"
#include "persistence/reaper/deleted_sessions.h"
#include "persistence/reaper/durable_upkeep.h"
#include "persistence/reaper/idle_sessions.h"
#include "persistence/schema/stream_layout.h"
#include "persistence/store/recorded_until.h"

namespace toolway::persistence::reaper {
namespace {

using std::chrono::milliseconds;

/// How long one query to Postgres may take.
constexpr std::chrono::seconds kStatementTimeout{30};
constexpr std::size_t kSessionsPerRound = 1000;
/// How often, at most, to look for closed sessions that must leave the bucket.
constexpr milliseconds kLookForClosed{10'000};
/// Sessions are closed only while the collectors lag by no more than this.
constexpr milliseconds kCloseBehind{5000};

class ElectedReaper final : public Reaper {
 public:
  ElectedReaper(bus::Bus& bus, monitoring::Metrics& metrics, const Clock& clock,
                ReaperOptions options)
      : bus_(bus),
        clock_(clock),
        options_(std::move(options)),
        metrics_(metrics),
        connection_(options_.postgres_url, {kStatementTimeout, cutoff_}),
        calls_(bus, clock, connection_, metrics_, options_),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}

  ~ElectedReaper() override {
    thread_.request_stop();
    cutoff_->end();
  }

 private:
  void run(const std::stop_token& stop) {
    do {
      if (auto done = round(); done) {
        failing_ = false;
      } else {
        // Only the first failure in a row is news.
        if (!failing_) spdlog::warn("the reaper waits: {}", done.error().message);
        failing_ = true;
      }
    } while (pause(options_.every, stop));
    metrics_.leading(false);
    connection_.resign();
  }

  Result<void> round() {
    if (!options_.clock_is_right()) return stand_down();
    auto elected = connection_.elected();
    const bool leads = elected && *elected;
    metrics_.leading(leads);
    if (leads && !led_) {
      spdlog::info("this collector is now the reaper");
      calls_.begin_anew();
      next_measure_ = {};
    }
    led_ = leads;
    RETURN_IF_ERROR(elected);
    if (!leads) return {};
    auto done = reap();
    // Last, whatever came of that: measuring never holds up reaping.
    auto measured = measure_database();
    return done ? measured : done;
  }

  /// Time is the server's here too, but when the clocks differ, NATS' may be the wrong one:
  /// a collector that disagrees with it ends nothing.
  Result<void> stand_down() {
    if (led_) spdlog::warn("this collector is no longer the reaper: its clock and NATS' differ");
    led_ = false;
    metrics_.leading(false);
    connection_.resign();
    return {};
  }

  Result<void> reap() {
    // First: without its durable no collector records anything.
    RETURN_IF_ERROR(keep_durables());
    ASSIGN_OR_RETURN(auto recorded, store::ask_recorded_until(bus_, clock_));
    RETURN_IF_ERROR(calls_.round(recorded));
    RETURN_IF_ERROR(close_idle_sessions(recorded));
    RETURN_IF_ERROR(take_closed_sessions_out());
    return purge_deleted_sessions();
  }

  /// A few statements a round, so that calls do not wait for the reaper.
  Result<void> purge_deleted_sessions() {
    constexpr std::size_t kStatements = 20;
    ASSIGN_OR_RETURN(const auto keys, sessions_to_purge(connection_, kStatements));
    std::size_t left = kStatements;
    for (const std::string& key : keys) {
      std::size_t purged = kPurgedAtOnce;
      while (purged == kPurgedAtOnce) {
        if (left-- == 0) return {};  // the next round continues
        ASSIGN_OR_RETURN(purged, purge_calls(connection_, key));
      }
      RETURN_IF_ERROR(end_purge(connection_, key));
      metrics_.acted("purged");
    }
    return {};
  }

  /// Those of a crowded bucket leave at once: they must not take room from open ones.
  Result<void> take_closed_sessions_out() {
    if (clock_.monotonic() < next_leaving_) return {};
    ASSIGN_OR_RETURN(const auto crowded, sessions_crowded(bus_));
    const auto keep = options_.closed_session_keep;
    next_leaving_ = clock_.monotonic() +
                    std::min<milliseconds>(kLookForClosed, crowded ? milliseconds(0) : keep / 4);
    if (keep.count() == 0 && !crowded) return {};
    ASSIGN_OR_RETURN(auto closed, closed_sessions(connection_, crowded ? milliseconds(0) : keep,
                                                  kSessionsPerRound));
    if (closed.empty()) return {};
    if (closed.size() == kSessionsPerRound) next_leaving_ = {};  // there are more
    ASSIGN_OR_RETURN(const auto out, take_out(bus_, closed));
    for (std::size_t i = 0; i < out.size(); ++i) metrics_.acted("left_bucket");
    return left_bucket(connection_, out);
  }

  Result<void> measure_database() {
    if (clock_.monotonic() < next_measure_) return {};
    next_measure_ = clock_.monotonic() + options_.measure_every;
    ASSIGN_OR_RETURN(const auto facts, database_facts(connection_));
    metrics_.database(facts);
    return {};
  }

  Result<void> keep_durables() {
    if (clock_.monotonic() < next_upkeep_) return {};
    next_upkeep_ = clock_.monotonic() + options_.upkeep_every;
    ASSIGN_OR_RETURN(auto text, provisioned_layout(connection_));
    if (!text) return {};
    ASSIGN_OR_RETURN(auto layout, schema::parse_layout(*text));
    ASSIGN_OR_RETURN(auto missing, missing_durables(bus_, layout));
    if (missing.empty()) return {};
    for (const auto& name : missing) {
      spdlog::warn("durable {} is gone: recreating it; everything in its stream is delivered again",
                   name);
    }
    auto made = bus_.provision(layout);
    RETURN_IF_ERROR(made);
    for (std::size_t i = 0; i < missing.size(); ++i) metrics_.acted("durable");
    return {};
  }

  Result<void> close_idle_sessions(WallTime recorded) {
    const auto now = clock_.wall();
    if (options_.session_idle.count() == 0) return {};
    if (clock_.monotonic() < next_sessions_ || recorded + kCloseBehind < now) return {};
    next_sessions_ =
        clock_.monotonic() + std::min(options_.session_idle / 10, milliseconds(10'000));
    ASSIGN_OR_RETURN(auto idle,
                     idle_sessions(connection_, now - options_.session_idle, kSessionsPerRound));
    for (const auto& session : idle) {
      auto closed = close_if_expired(bus_, session, now, options_.session_idle);
      // One of another bucket or a poisoned one must not keep the others open.
      if (!closed && closed.error().code == ErrorCode::kBusUnavailable) return fail(closed.error());
      if (!closed || !*closed) continue;
      metrics_.acted("expired");
      spdlog::info("session {} closed: idle", session.session_id());
    }
    return {};
  }

  bus::Bus& bus_;
  const Clock& clock_;
  const ReaperOptions options_;
  const std::shared_ptr<postgres::PgCutoff> cutoff_ = std::make_shared<postgres::PgCutoff>();
  ReaperMetrics metrics_;
  ElectedConnection connection_;
  CallReaper calls_;
  bool led_ = false;
  bool failing_ = false;
  MonotonicTime next_measure_{};
  MonotonicTime next_upkeep_{};
  MonotonicTime next_sessions_{};
  MonotonicTime next_leaving_{};
  std::jthread thread_;  // the last member: it ends before what it uses
};

}  // namespace

std::unique_ptr<Reaper> start_reaper(bus::Bus& bus, monitoring::Metrics& metrics,
                                     const Clock& clock, ReaperOptions options) {
  return std::make_unique<ElectedReaper>(bus, metrics, clock, std::move(options));
}

}  // namespace toolway::persistence::reaper
