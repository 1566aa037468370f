#include "bus/bucket_mirror.h"

#include <iterator>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"

namespace toolway::bus {

/// Answers may come after the mirror is gone: they find it through a weak pointer.
struct BucketMirror::State : std::enable_shared_from_this<State> {
  State(Bus& of, Bucket names, Take taker, std::function<void()> changed)
      : bus(of),
        stream(names.stream),
        bucket(of, std::string(names.name)),
        take(std::move(taker)),
        on_change(std::move(changed)) {}

  /// Followed before it is read: no change in between is missed.
  void follow() {
    {
      const MutexLock lock(mutex);
      if (watch) return;
    }
    auto heard = bucket.watch([weak = weak_from_this()](const Entry& entry) {
      if (const auto self = weak.lock()) self->hear(entry);
    });
    if (!heard) return;  // tried again at the next look
    const MutexLock lock(mutex);
    if (!watch) watch = std::move(*heard);
  }

  void hear(const Entry& entry) {
    {
      const MutexLock lock(mutex);
      if (reading) heard_meanwhile.push_back(entry);
      auto& revision = revisions[entry.key];
      if (revision >= entry.revision) return;
      revision = entry.revision;
      if (entry.revision == seen + 1) seen = entry.revision;
      if (!known) return;
      take({entry}, Extent::kChange);
    }
    if (on_change) on_change();
  }

  void look() {
    follow();
    bus.stream_state(stream, [weak = weak_from_this()](const Result<StreamState>& found) {
      if (const auto self = weak.lock()) self->looked(found);
    });
  }

  void looked(const Result<StreamState>& found) {
    {
      const MutexLock lock(mutex);
      if (reading) return;  // the next look sees what this reading has missed
      // A fleet set up before this bucket existed has nothing in it.
      if (!found && found.error().code != ErrorCode::kNotFound) return;
      const StreamState state = found ? *found : StreamState{};
      if (known && state.incarnation == incarnation && state.last_sequence <= seen) return;
    }
    read();
  }

  void read() {
    {
      const MutexLock lock(mutex);
      if (reading) {
        again = true;
        return;
      }
      reading = true;
      heard_meanwhile.clear();
    }
    // Where the bucket's stream is before it is read: later changes are heard, or seen at a look.
    bus.stream_state(stream, [weak = weak_from_this()](Result<StreamState> found) {
      const auto self = weak.lock();
      if (!self) return;
      if (!found && found.error().code != ErrorCode::kNotFound) return self->end_reading();
      const StreamState state = found ? *found : StreamState{};
      self->bucket.list([weak, state](Result<std::vector<Entry>> listed) {
        const auto mirror = weak.lock();
        if (!mirror) return;
        if (listed) mirror->take_all(state, *std::move(listed));
        mirror->end_reading();
      });
    });
  }

  void take_all(const StreamState& state, std::vector<Entry> entries) {
    {
      const MutexLock lock(mutex);
      revisions.clear();
      for (const auto& entry : entries) revisions[entry.key] = entry.revision;
      seen = state.last_sequence;
      incarnation = state.incarnation;
      for (auto& entry : heard_meanwhile) {
        if (entry.revision == seen + 1) seen = entry.revision;
        auto& revision = revisions[entry.key];
        if (revision >= entry.revision) continue;
        revision = entry.revision;
        entries.push_back(std::move(entry));
      }
      heard_meanwhile.clear();
      known = true;
      take(entries, Extent::kAll);
    }
    if (on_change) on_change();
  }

  void end_reading() {
    bool once_more = false;
    {
      const MutexLock lock(mutex);
      reading = false;
      once_more = std::exchange(again, false);
    }
    if (once_more) read();
  }

  Bus& bus;
  const std::string_view stream;
  KeyValue bucket;
  const Take take;
  const std::function<void()> on_change;
  Mutex mutex;
  std::unique_ptr<Subscription> watch GUARDED_BY(mutex);
  std::unordered_map<std::string, std::uint64_t> revisions GUARDED_BY(mutex);  ///< by key
  std::vector<Entry> heard_meanwhile GUARDED_BY(mutex);
  bool reading GUARDED_BY(mutex) = false;
  bool again GUARDED_BY(mutex) = false;
  bool known GUARDED_BY(mutex) = false;
  std::int64_t incarnation GUARDED_BY(mutex) = 0;
  std::uint64_t seen GUARDED_BY(mutex) = 0;  ///< all of the stream up to here was taken
};

BucketMirror::BucketMirror(Bus& bus, Bucket bucket, Take take, std::function<void()> on_change)
    : state_(std::make_shared<State>(bus, bucket, std::move(take), std::move(on_change))) {
  on_connection_ = bus.on_connection([weak = std::weak_ptr(state_)](Connection connection) {
    const auto state = weak.lock();
    if (!state || connection == Connection::kDisconnected) return;
    state->follow();
    state->read();
  });
  state_->follow();
  // Or else once it is connected: a large bucket is not read twice.
  if (bus.connection() == Connection::kConnected) state_->read();
}

BucketMirror::~BucketMirror() {
  on_connection_.reset();
  // Its handler may hold the state: the subscription must not end on its own thread.
  std::unique_ptr<Subscription> watch;
  {
    const MutexLock lock(state_->mutex);
    watch = std::move(state_->watch);
  }
}

void BucketMirror::look() { state_->look(); }

bool BucketMirror::known() const {
  const MutexLock lock(state_->mutex);
  return state_->known;
}

}  // namespace toolway::bus
