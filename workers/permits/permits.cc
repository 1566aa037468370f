#include "workers/permits/permits.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/mutex.h"
#include "bus/bucket_mirror.h"
#include "monitoring/metric_names.h"
#include "proto/subjects.h"
#include "workers/threads/gate.h"

namespace toolway::workers::permits {
namespace {

/// Since a limit was last full, for it to be told of.
constexpr std::chrono::seconds kToldFor{4};
constexpr std::size_t kMaxTold = 16;

/// One permit that is held.
struct Slot {
  PermitAsked asked;
  std::string entry;
  std::uint64_t revision = 0;
  MonotonicTime renewed_at{};  ///< when the write that was acknowledged was sent
  bool renewing = false;
};

struct HeldPermits {
  std::string value;
  std::vector<Slot> slots;
  std::function<void()> lost;
  bool is_lost = false;
  bool released = false;  ///< and a renewal is in progress: given back when that is answered
};

}  // namespace

struct Permits::State : std::enable_shared_from_this<State> {
  State(bus::Bus& the_bus, const Clock& the_clock, monitoring::Metrics& the_metrics,
        Options the_options)
      : bus(the_bus),
        clock(the_clock),
        metrics(the_metrics),
        options(std::move(the_options)),
        bucket(the_bus, std::string(proto::kPermitsBucket)),
        table(std::hash<std::string>{}(options.worker_id)) {}

  /// One call that takes its permits, one after the other.
  struct Under {
    Taking taking;
    std::string value;
    std::vector<Slot> got{};
  };
  using UnderPtr = std::shared_ptr<Under>;

  Room look(std::span<const PermitAsked> asked) {
    const MutexLock lock(mutex);
    if (!mirror_known) return Room::kFull;  // within a second it is
    const auto now = clock.monotonic();
    for (const auto& one : asked) {
      if (!table.full(one, now)) continue;
      note_full(one, now);
      return Room::kFull;
    }
    return Room::kFree;
  }

  void next(const UnderPtr& under) {
    const auto now = clock.monotonic();
    std::optional<PermitTable::Free> free;
    PermitId granted = 0;
    {
      const MutexLock lock(mutex);
      if (under->got.size() < under->taking.asked.size()) {
        const auto& asked = under->taking.asked[under->got.size()];
        free = table.choose(asked, now);
        if (!free) note_full(asked, now);
      } else {
        granted = ++last_id;
        for (const auto& slot : under->got) shown(slot.asked.limit, +1);
        held.emplace(granted, HeldPermits{.value = under->value,
                                          .slots = std::move(under->got),
                                          .lost = std::move(under->taking.lost)});
      }
    }
    if (granted != 0) return under->taking.answered({.taken = Taken::kGranted, .permit = granted});
    if (!free) return end(under, {.taken = Taken::kFull});
    bucket.put(
        free->entry, under->value, free->revision,
        [self = shared_from_this(), under, entry = free->entry, now](Result<std::uint64_t> answer) {
          const threads::GateLock entered(self->gate);
          if (entered) self->taken(under, entry, now, std::move(answer));
        });
  }

  void taken(const UnderPtr& under, const std::string& entry, MonotonicTime sent,
             Result<std::uint64_t> answer) {
    {
      const MutexLock lock(mutex);
      table.answered(entry);
      if (answer) {
        table.heard({entry, under->value, *answer}, sent);
        under->got.push_back({.asked = under->taking.asked[under->got.size()],
                              .entry = entry,
                              .revision = *answer,
                              .renewed_at = sent});
      }
    }
    if (answer) return next(under);
    // Another worker was faster, or our memory is old.
    if (answer.error().code == ErrorCode::kWrongLastSequence) {
      read_again(entry);
      return end(under, {.taken = Taken::kFull});
    }
    end(under, {.taken = Taken::kFailed, .why = std::move(answer.error().message)});
  }

  void end(const UnderPtr& under, Answer answer) {
    for (const auto& slot : under->got) give_back(slot);
    under->taking.answered(std::move(answer));
  }

  void give_back(const Slot& slot) {
    bucket.put(slot.entry, "", slot.revision,
               [self = shared_from_this(), entry = slot.entry](Result<std::uint64_t> answer) {
                 const threads::GateLock entered(self->gate);
                 if (!entered || !answer) return;  // then it expires
                 const MutexLock lock(self->mutex);
                 self->table.heard({entry, "", *answer}, self->clock.monotonic());
               });
  }

  void read_again(const std::string& entry) {
    bucket.get(entry, [self = shared_from_this(), entry](Result<bus::Entry> found) {
      const threads::GateLock entered(self->gate);
      if (!entered) return;
      const MutexLock lock(self->mutex);
      if (found)
        self->table.heard(*found, self->clock.monotonic());
      else if (found.error().code == ErrorCode::kNotFound)
        self->table.absent(entry);
    });
  }

  void release(PermitId id) {
    std::vector<Slot> back;
    {
      const MutexLock lock(mutex);
      const auto found = held.find(id);
      if (found == held.end() || found->second.released) return;
      HeldPermits& one = found->second;
      one.released = true;
      for (const auto& slot : one.slots) shown(slot.asked.limit, -1);
      std::erase_if(one.slots, [&](const Slot& slot) {
        if (!slot.renewing) back.push_back(slot);
        return !slot.renewing;
      });
      if (one.slots.empty()) held.erase(found);
    }
    for (const auto& slot : back) give_back(slot);
  }

  /// One permit to renew.
  struct Renewal {
    PermitId id = 0;
    std::string entry;
    std::string value;
    std::uint64_t revision = 0;
  };

  void upkeep(bool wanted) {
    if (wanted || mirror) follow();
    const auto now = clock.monotonic();
    std::vector<Renewal> due;
    std::vector<std::function<void()>> lost;
    {
      const MutexLock lock(mutex);
      table.sweep(now);
      std::erase_if(full_ones, [now](const auto& one) { return now - one.second.last > kToldFor; });
      for (auto& [id, one] : held) {
        if (one.is_lost || one.released) continue;
        for (auto& slot : one.slots) {
          if (now - slot.renewed_at >= kHolderStopsAfter) one.is_lost = true;
          if (slot.renewing || now - slot.renewed_at < options.renew_interval) continue;
          slot.renewing = true;
          due.push_back({id, slot.entry, one.value, slot.revision});
        }
        if (one.is_lost) lost.push_back(one.lost);
      }
    }
    for (const auto& one : due) {
      bucket.put(one.entry, one.value, one.revision,
                 [self = shared_from_this(), one, now](Result<std::uint64_t> answer) {
                   const threads::GateLock entered(self->gate);
                   if (entered) self->renewed(one, now, answer);
                 });
    }
    for (const auto& tell : lost) tell();
  }

  void renewed(const Renewal& one, MonotonicTime sent, const Result<std::uint64_t>& answer) {
    // It may have been stored by an earlier renewal whose answer was lost.
    if (!answer && answer.error().code == ErrorCode::kWrongLastSequence) {
      return bucket.get(one.entry, [self = shared_from_this(), one](Result<bus::Entry> found) {
        const threads::GateLock entered(self->gate);
        if (!entered) return;
        const bool gone = !found && found.error().code == ErrorCode::kNotFound;
        if (!found && !gone) return self->renewal_ended(one, [](Slot&) { return true; });
        const bool ours = found && found->value == one.value;
        self->renewal_ended(one, [&](Slot& slot) {
          if (ours) slot.revision = found->revision;
          return ours;
        });
      });
    }
    renewal_ended(one, [&](Slot& slot) {
      if (!answer) return true;  // tried again in a second
      slot.revision = *answer;
      slot.renewed_at = sent;
      return true;
    });
  }

  /// `still_ours(slot)`: what came of it; false: another worker has the permit.
  template <typename StillOurs>
  void renewal_ended(const Renewal& one, StillOurs still_ours) {
    std::function<void()> lost;
    std::optional<Slot> back;
    {
      const MutexLock lock(mutex);
      const auto found = held.find(one.id);
      if (found == held.end()) return;
      HeldPermits& of = found->second;
      const auto slot =
          std::ranges::find_if(of.slots, [&](const Slot& s) { return s.entry == one.entry; });
      if (slot == of.slots.end()) return;
      slot->renewing = false;
      const bool ours = still_ours(*slot);
      if (of.released) {
        if (ours) back = *slot;
        of.slots.erase(slot);
        if (of.slots.empty()) held.erase(found);
      } else if (!ours && !of.is_lost) {
        of.is_lost = true;
        lost = of.lost;
      }
    }
    if (back) give_back(*back);
    if (lost) lost();
  }

  /// The mirror's thread may be in `heard`: no lock while it is made.
  void follow() {
    if (mirror) return mirror->look();
    mirror = std::make_unique<bus::BucketMirror>(
        bus, bus::BucketMirror::Bucket{proto::kPermitsBucket, proto::kPermitsStream},
        [weak = weak_from_this()](const auto& entries, auto extent) {
          const auto self = weak.lock();
          if (!self) return;
          const MutexLock lock(self->mutex);
          const auto now = self->clock.monotonic();
          self->mirror_known = true;
          if (extent == bus::BucketMirror::Extent::kAll)
            self->table.heard_all(entries, now);
          else
            for (const auto& entry : entries) self->table.heard(entry, now);
        });
  }

  void note_full(const PermitAsked& asked, MonotonicTime now) REQUIRES(mutex) {
    metrics.counter(monitoring::kToolBusy, "limit", asked.limit).add();
    auto [place, first] = full_ones.try_emplace(asked.key);
    auto& one = place->second;
    if (first || now - one.last > kToldFor) one.full = {asked, clock.wall()};
    one.last = now;
  }

  void shown(const std::string& limit, int change) {
    metrics.gauge(monitoring::kPermitsHeld, "limit", limit).add(change);
  }

  std::vector<FullLimit> full() const {
    std::vector<FullLimit> told;
    const MutexLock lock(mutex);
    const auto now = clock.monotonic();
    for (const auto& [key, one] : full_ones) {
      if (told.size() == kMaxTold) break;
      if (now - one.last <= kToldFor) told.push_back(one.full);
    }
    return told;
  }

  bus::Bus& bus;
  const Clock& clock;
  monitoring::Metrics& metrics;
  const Options options;
  bus::KeyValue bucket;
  threads::Gate gate;
  std::unique_ptr<bus::BucketMirror> mirror;  ///< made and asked by `upkeep` alone

  struct Full {
    FullLimit full;
    MonotonicTime last{};
  };
  mutable Mutex mutex;
  PermitTable table GUARDED_BY(mutex);
  bool mirror_known GUARDED_BY(mutex) = false;
  PermitId last_id GUARDED_BY(mutex) = 0;
  std::map<PermitId, HeldPermits> held GUARDED_BY(mutex);
  std::map<std::string, Full> full_ones GUARDED_BY(mutex);  ///< by key
};

Permits::Permits(bus::Bus& bus, const Clock& clock, monitoring::Metrics& metrics, Options options)
    : state_(std::make_shared<State>(bus, clock, metrics, std::move(options))) {}

Permits::~Permits() = default;

Permits::Room Permits::look(std::span<const PermitAsked> asked) { return state_->look(asked); }

void Permits::take(Taking taking) {
  const threads::GateLock entered(state_->gate);
  if (!entered) return;
  auto under = std::make_shared<State::Under>();
  under->value = state_->options.worker_id + " " + taking.call_id;
  under->taking = std::move(taking);
  state_->next(under);
}

void Permits::release(PermitId permit) {
  const threads::GateLock entered(state_->gate);
  if (entered && permit != 0) state_->release(permit);
}

void Permits::upkeep(bool wanted) {
  const threads::GateLock entered(state_->gate);
  if (entered) state_->upkeep(wanted);
}

std::vector<FullLimit> Permits::full() const { return state_->full(); }

void Permits::close() {
  state_->gate.close();
  state_->mirror.reset();
}

}  // namespace toolway::workers::permits
