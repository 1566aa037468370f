#include "bus/switch_board.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "bus/key_value.h"
#include "proto/subjects.h"

namespace toolway::bus {

/// Answers may come after the board is gone: they find it through a weak pointer.
struct SwitchBoard::State : std::enable_shared_from_this<State> {
  State(Bus& of, std::function<void()> changed)
      : bus(of), bucket(of, std::string(proto::kSwitchesBucket)), on_change(std::move(changed)) {}

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
      auto& known_one = entries[entry.key];
      if (known_one.revision >= entry.revision) return;
      known_one = entry;
      if (entry.revision == seen + 1) seen = entry.revision;
      if (!known) return;
      make();
    }
    if (on_change) on_change();
  }

  void look() {
    follow();
    bus.stream_state(proto::kSwitchesStream,
                     [weak = weak_from_this()](const Result<StreamState>& found) {
                       if (const auto self = weak.lock()) self->looked(found);
                     });
  }

  void looked(const Result<StreamState>& found) {
    {
      const MutexLock lock(mutex);
      // A fleet set up before this bucket existed has switched nothing off.
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
    bus.stream_state(proto::kSwitchesStream, [weak = weak_from_this()](Result<StreamState> found) {
      const auto self = weak.lock();
      if (!self) return;
      if (!found && found.error().code != ErrorCode::kNotFound) return self->end_reading();
      const StreamState state = found ? *found : StreamState{};
      self->bucket.list([weak, state](Result<std::vector<Entry>> listed) {
        const auto board = weak.lock();
        if (!board) return;
        if (listed) board->take(state, *std::move(listed));
        board->end_reading();
      });
    });
  }

  void take(const StreamState& state, std::vector<Entry> listed) {
    {
      const MutexLock lock(mutex);
      entries.clear();
      for (auto& entry : listed) entries[entry.key] = std::move(entry);
      seen = state.last_sequence;
      incarnation = state.incarnation;
      for (const auto& entry : heard_meanwhile) {
        auto& known_one = entries[entry.key];
        if (known_one.revision < entry.revision) known_one = entry;
      }
      known = true;
      make();
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

  void make() REQUIRES(mutex) {
    auto made = std::make_shared<proto::Switches>();
    for (const auto& [key, entry] : entries) {
      if (proto::valid_switch_key(key)) made->take(key, entry.value);
    }
    switches = std::move(made);
  }

  Bus& bus;
  KeyValue bucket;
  const std::function<void()> on_change;
  Mutex mutex;
  std::unique_ptr<Subscription> watch GUARDED_BY(mutex);
  std::map<std::string, Entry> entries GUARDED_BY(mutex);
  std::vector<Entry> heard_meanwhile GUARDED_BY(mutex);
  bool reading GUARDED_BY(mutex) = false;
  bool again GUARDED_BY(mutex) = false;
  bool known GUARDED_BY(mutex) = false;
  std::int64_t incarnation GUARDED_BY(mutex) = 0;
  std::uint64_t seen GUARDED_BY(mutex) = 0;  ///< all of the stream up to here is in `entries`
  std::shared_ptr<const proto::Switches> switches GUARDED_BY(mutex) =
      std::make_shared<const proto::Switches>();
};

SwitchBoard::SwitchBoard(Bus& bus, std::function<void()> on_change)
    : state_(std::make_shared<State>(bus, std::move(on_change))) {
  on_connection_ = bus.on_connection([weak = std::weak_ptr(state_)](Connection connection) {
    const auto state = weak.lock();
    if (!state || connection == Connection::kDisconnected) return;
    state->follow();
    state->read();
  });
  state_->follow();
  state_->read();
}

SwitchBoard::~SwitchBoard() {
  on_connection_.reset();
  // Its handler may hold the state: the subscription must not end on its own thread.
  std::unique_ptr<Subscription> watch;
  {
    const MutexLock lock(state_->mutex);
    watch = std::move(state_->watch);
  }
}

void SwitchBoard::look() { state_->look(); }

bool SwitchBoard::known() const {
  const MutexLock lock(state_->mutex);
  return state_->known;
}

std::shared_ptr<const proto::Switches> SwitchBoard::now() const {
  const MutexLock lock(state_->mutex);
  return state_->switches;
}

}  // namespace toolway::bus
