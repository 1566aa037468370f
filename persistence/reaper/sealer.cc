#include "persistence/reaper/sealer.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <thread>

#include "base/pause.h"
#include "base/try.h"
#include "monitoring/metric_names.h"
#include "persistence/audit/continuity.h"
#include "persistence/reaper/seal_memory.h"
#include "persistence/reaper/sealing.h"

namespace toolway::persistence::reaper {
namespace {

constexpr std::chrono::seconds kStatementTimeout{30};
constexpr std::chrono::hours kDropEvery{1};

class ElectedSealer final : public Sealer {
 public:
  ElectedSealer(bus::Bus& bus, monitoring::Metrics& metrics, const Clock& clock,
                SealerOptions options)
      : clock_(clock),
        options_(std::move(options)),
        memory_(bus, clock),
        unsealed_(metrics.gauge(monitoring::kAuditUnsealed)),
        connection_(options_.postgres_url, {kStatementTimeout, cutoff_}, Office::kSealer),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}

  ~ElectedSealer() override {
    thread_.request_stop();
    cutoff_->end();
  }

 private:
  void run(const std::stop_token& stop) {
    do {
      const auto done = round();
      if (options_.keys)
        memory_.keep(leads_ ? SealMemory::Sealer::kThisOne : SealMemory::Sealer::kAnother);
      // Only the first failure of a kind in a row is news.
      if (!done && done.error().message != failure_) tell(done.error());
      failure_ = done ? "" : done.error().message;
    } while (pause(options_.every, stop));
    unsealed_.set(0);
    connection_.resign();
  }

  void tell(const Error& failure) const {
    if (failure.code != ErrorCode::kInternal)
      return spdlog::warn("the sealer of the audit waits: {}", failure.message);
    spdlog::error(
        "the audit is not sealed any more: {}; run `toolway audit verify`, and if the database was "
        "put back from a backup, start the collectors with --audit-continues-from (docs/audit.md)",
        failure.message);
  }

  Result<void> round() {
    const auto elected = connection_.elected();
    if (!elected || !*elected) {
      leads_ = false;
      stopped_since_.reset();
      unsealed_.set(0);
      RETURN_IF_ERROR(elected);
      return {};
    }
    if (options_.keys) RETURN_IF_ERROR(seal_all());
    return drop_old();
  }

  Result<void> seal_all() {
    while (true) {
      ASSIGN_OR_RETURN(const auto last, last_seal(connection_));
      const auto from = last ? last->to_xid : 0;
      if (auto held = hold_to_memory(last); !held) {
        if (!stopped_since_) stopped_since_ = clock_.monotonic();
        RETURN_IF_ERROR(show_age(from));
        return held;
      }
      stopped_since_.reset();
      ASSIGN_OR_RETURN(const auto found, sealable(connection_, from));
      if (found.entries.empty()) return show_age(from);
      auto seal = audit::seal_after(last_ ? &*last_ : nullptr);
      seal.to_xid = found.to_xid;
      audit::cover(seal, found.entries);
      ASSIGN_OR_RETURN(const auto stored, store(std::move(seal), store_seal));
      if (stored && !found.more) return show_age(found.to_xid);
    }
  }

  template <typename Write>
  Result<bool> store(audit::Seal seal, Write write) {
    seal.made_at_us = to_unix_us(clock_.wall());
    audit::sign(seal, *options_.keys);
    ASSIGN_OR_RETURN(const bool stored, write(connection_, seal));
    if (stored) hold(std::move(seal));
    return stored;
  }

  void hold(std::optional<audit::Seal> last) {
    memory_.remember(audit::anchor_of(last));
    held_ = true;
    last_ = std::move(last);
    if (last_) last_->entries.clear();
  }

  Result<void> take_over(const std::optional<audit::Seal>& last) {
    const auto taken = memory_.take_over();
    if (!taken && options_.continues_from != audit::anchor_of(last)) return taken;
    leads_ = true;
    held_ = false;
    last_.reset();
    spdlog::info("this collector now seals the audit, after {} seals", last ? last->number : 0);
    return {};
  }

  /// The chain cannot tell when its end was cut off; who remembers the end can. The next seal says
  /// again what the last one says of retention, so that counts only if the last one is good.
  Result<void> hold_to_memory(const std::optional<audit::Seal>& last) {
    if (!leads_) RETURN_IF_ERROR(take_over(last));
    if (held_ && last == last_) return {};
    audit::Continuity found{.remembered = memory_.last(), .last = {}, .mac = {}};
    ASSIGN_OR_RETURN(found.last, whole_last_seal(connection_));
    if (found.remembered) {
      ASSIGN_OR_RETURN(found.mac, mac_of_seal(connection_, found.remembered->number));
    }
    if (auto held = audit::may_continue(found, *options_.keys); !held) {
      const auto now = audit::anchor_of(found.last);
      if (options_.continues_from != now) return held;
      spdlog::warn("the audit continues after seal {}, as --audit-continues-from says: {}",
                   now.number, held.error().message);
    }
    hold(std::move(found.last));
    return {};
  }

  Result<void> show_age(std::uint64_t sealed_to) {
    ASSIGN_OR_RETURN(const auto oldest, oldest_unsealed(connection_, sealed_to));
    const auto age = oldest ? clock_.wall() - *oldest : WallTime::duration(0);
    const auto stopped =
        stopped_since_ ? clock_.monotonic() - *stopped_since_ : MonotonicTime::duration(0);
    unsealed_.set(std::max({0.0, std::chrono::duration<double>(age).count(),
                            std::chrono::duration<double>(stopped).count()}));
    return {};
  }

  Result<void> drop_old() {
    if (options_.keep_days == 0 || clock_.monotonic() < next_drop_) return {};
    const auto today = static_cast<std::int32_t>(to_unix_us(clock_.wall()) / audit::kUsPerDay);
    const auto kept_from = today - static_cast<std::int32_t>(options_.keep_days);
    RETURN_IF_ERROR(options_.keys ? cut(kept_from) : drop_unsealed(kept_from));
    next_drop_ = clock_.monotonic() + kDropEvery;
    return {};
  }

  Result<void> drop_unsealed(std::int32_t kept_from) {
    ASSIGN_OR_RETURN(const auto last, last_seal(connection_));
    if (last) {
      spdlog::error(
          "--keep-audit-days drops nothing: the audit has seals, and what is dropped "
          "without one is missing; give this collector the others' --seal-keys");
      return {};
    }
    RETURN_IF_ERROR(drop_records_before(connection_, kept_from));
    return {};
  }

  Result<void> cut(std::int32_t kept_from) {
    if (!last_ || last_->kept_from.value_or(0) >= kept_from) return {};
    ASSIGN_OR_RETURN(const auto first, first_seal_of(connection_, kept_from));
    auto seal = audit::seal_after(&*last_);
    seal.kept_from = kept_from;
    seal.first_seal = first.value_or(seal.number);
    ASSIGN_OR_RETURN(const auto stored, store(std::move(seal), store_cut));
    if (stored)
      spdlog::info("the audit of the days before {} is dropped", audit::day_text(kept_from));
    return {};
  }

  const Clock& clock_;
  const SealerOptions options_;
  SealMemory memory_;
  const std::shared_ptr<postgres::PgCutoff> cutoff_ = std::make_shared<postgres::PgCutoff>();
  monitoring::Gauge& unsealed_;
  ElectedConnection connection_;
  bool leads_ = false;                          ///< and knows what the one before it has sealed
  std::optional<audit::Seal> last_;             ///< without its entries; good
  bool held_ = false;                           ///< `last_` was compared with what is remembered
  std::string failure_;                         ///< of the last round
  std::optional<MonotonicTime> stopped_since_;  ///< it may not seal
  MonotonicTime next_drop_{};
  std::jthread thread_;  // the last member: it ends before what it uses
};

}  // namespace

std::unique_ptr<Sealer> start_sealer(bus::Bus& bus, monitoring::Metrics& metrics,
                                     const Clock& clock, SealerOptions options) {
  return std::make_unique<ElectedSealer>(bus, metrics, clock, std::move(options));
}

}  // namespace toolway::persistence::reaper
