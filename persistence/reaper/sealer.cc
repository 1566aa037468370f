#include "persistence/reaper/sealer.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <thread>

#include "base/pause.h"
#include "base/try.h"
#include "monitoring/metric_names.h"
#include "persistence/reaper/sealing.h"

namespace toolway::persistence::reaper {
namespace {

constexpr std::chrono::seconds kStatementTimeout{30};
constexpr std::chrono::hours kDropEvery{1};

class ElectedSealer final : public Sealer {
 public:
  ElectedSealer(monitoring::Metrics& metrics, const Clock& clock, SealerOptions options)
      : clock_(clock),
        options_(std::move(options)),
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
      if (auto done = round(); done) {
        failing_ = false;
      } else {
        // Only the first failure in a row is news.
        if (!failing_) spdlog::warn("the sealer of the audit waits: {}", done.error().message);
        failing_ = true;
      }
    } while (pause(options_.every, stop));
    unsealed_.set(0);
    connection_.resign();
  }

  Result<void> round() {
    auto elected = connection_.elected();
    const bool leads = elected && *elected;
    if (!leads) unsealed_.set(0);
    const bool takes_over = leads && !led_;
    led_ = leads;
    RETURN_IF_ERROR(elected);
    if (!leads) return {};
    if (options_.keys) {
      if (takes_over) RETURN_IF_ERROR(look_at_the_last());
      RETURN_IF_ERROR(seal_all());
    }
    return drop_old();
  }

  /// What another one has sealed, or was put in its place.
  Result<void> look_at_the_last() {
    ASSIGN_OR_RETURN(const auto last, whole_last_seal(connection_));
    spdlog::info("this collector now seals the audit, after {} seals", last ? last->number : 0);
    if (!last) return {};
    switch (audit::check(*last, *options_.keys)) {
      case audit::SealState::kGood: break;
      case audit::SealState::kChanged:
        spdlog::error("seal {} of the audit is not what was made: run `toolway audit verify`",
                      last->number);
        break;
      case audit::SealState::kUnknownKey:
        spdlog::error(
            "seal {} of the audit was made with key {}, which --seal-keys does not have: "
            "add its line after the first one",
            last->number, last->key_id);
        break;
    }
    return {};
  }

  Result<void> seal_all() {
    while (true) {
      ASSIGN_OR_RETURN(const auto last, last_seal(connection_));
      compare_with_ours(last);
      const auto from = last ? last->to_xid : 0;
      ASSIGN_OR_RETURN(const auto found, sealable(connection_, from));
      if (found.entries.empty()) return show_age(from);
      auto seal = audit::seal_after(last ? &*last : nullptr);
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
    if (stored) ours_ = std::move(seal);
    return stored;
  }

  /// The chain cannot tell when its end was cut off; who made the end can.
  void compare_with_ours(const std::optional<audit::Seal>& last) {
    if (!ours_) return;
    const auto number = last ? last->number : 0;
    if (number > ours_->number || (number == ours_->number && last->mac == ours_->mac)) return;
    spdlog::error(
        "the audit had {} seals, and now ends with number {}: seals were taken out of the "
        "database, or it was put back from a backup; run `toolway audit verify`",
        ours_->number, number);
    ours_.reset();
  }

  Result<void> show_age(std::uint64_t sealed_to) {
    ASSIGN_OR_RETURN(const auto oldest, oldest_unsealed(connection_, sealed_to));
    const auto age = oldest ? clock_.wall() - *oldest : WallTime::duration(0);
    unsealed_.set(std::max(0.0, std::chrono::duration<double>(age).count()));
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
    ASSIGN_OR_RETURN(const auto last, last_seal(connection_));
    if (!last || last->kept_from.value_or(0) >= kept_from) return {};
    ASSIGN_OR_RETURN(const auto first, first_seal_of(connection_, kept_from));
    auto seal = audit::seal_after(&*last);
    seal.kept_from = kept_from;
    seal.first_seal = first.value_or(seal.number);
    ASSIGN_OR_RETURN(const auto stored, store(std::move(seal), store_cut));
    if (stored)
      spdlog::info("the audit of the days before {} is dropped", audit::day_text(kept_from));
    return {};
  }

  const Clock& clock_;
  const SealerOptions options_;
  const std::shared_ptr<postgres::PgCutoff> cutoff_ = std::make_shared<postgres::PgCutoff>();
  monitoring::Gauge& unsealed_;
  ElectedConnection connection_;
  bool led_ = false;
  bool failing_ = false;
  std::optional<audit::Seal> ours_;  ///< the last one that this sealer made
  MonotonicTime next_drop_{};
  std::jthread thread_;  // the last member: it ends before what it uses
};

}  // namespace

std::unique_ptr<Sealer> start_sealer(monitoring::Metrics& metrics, const Clock& clock,
                                     SealerOptions options) {
  return std::make_unique<ElectedSealer>(metrics, clock, std::move(options));
}

}  // namespace toolway::persistence::reaper
