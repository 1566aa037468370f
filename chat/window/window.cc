#include "chat/window/window.h"

#include <algorithm>

namespace toolway::chat::window {
namespace {

using tools::messages::Message;
using tools::messages::Role;

/// Messages [first, last) that are sent together or not at all.
struct Unit {
  std::size_t first = 0;
  std::size_t last = 0;
  Load load{};
  std::size_t size() const { return last - first; }
};

class Chooser {
 public:
  Chooser(const std::vector<Message>& messages, const Bounds& bounds, const Estimate& estimate,
          Counts& counts)
      : messages_(messages), bounds_(bounds), estimate_(estimate), counts_(counts) {
    while (system_ < messages_.size() && messages_[system_].role == Role::kSystem) ++system_;
    load_ = estimate_.load(bounds_.besides);
    add(load_, unit(0, system_).load);
    floor_ = std::clamp(bounds_.covered, system_, messages_.size());
  }

  Window choose() {
    const auto round = last_round();
    const bool has_round = round < messages_.size();
    // Without a message of the user, the newest messages are all that counts.
    const auto begin = std::max(has_round ? round + 1 : system_, floor_);
    if (has_round) take(unit(round, round + 1));
    auto kept = messages_.size();
    if (kept > begin) {
      const auto newest = unit_before(kept, begin);
      take(newest);
      kept = newest.first;
    }
    fits_ = fits(Unit{});
    may_fit_ = fits_ || estimate_.likely(load_) <= bounds_.tokens;
    kept = extend(kept, begin, [&](auto end) { return unit_before(end, begin); });
    if (kept == begin && has_round && round >= floor_) {
      kept = extend(round, floor_, [&](auto end) { return round_before(end); });
      return made(kept, round, begin);
    }
    return made(kept, has_round ? round : kept, has_round ? begin : kept);
  }

 private:
  Unit unit(std::size_t first, std::size_t last) const {
    Unit made{.first = first, .last = last};
    for (auto i = first; i < last; ++i)
      add(made.load, estimate_.load(i, counts_.of(messages_, i, bounds_.blocks)));
    return made;
  }

  static void add(Load& to, const Load& more) {
    to.all += more.all;
    to.counted += more.counted;
  }

  /// The last message that begins a round; all of them: there is none.
  std::size_t last_round() const {
    for (auto i = messages_.size(); i-- > system_;)
      if (begins_round(messages_, i)) return i;
    return messages_.size();
  }

  /// What belongs together and ends before `end`: calls and their results, with what was injected
  /// after them.
  Unit unit_before(std::size_t end, std::size_t begin) const {
    auto first = end - 1;
    while (first > begin && messages_[first].role != Role::kAssistant) --first;
    return unit(first, end);
  }

  Unit round_before(std::size_t end) const {
    auto first = end - 1;
    while (first > floor_ && !begins_round(messages_, first)) --first;
    return unit(first, end);
  }

  template <typename Before>
  std::size_t extend(std::size_t kept, std::size_t begin, Before before) {
    while (fits_ && kept > begin) {
      const auto next = before(kept);
      if (!fits(next)) break;
      take(next);
      kept = next.first;
    }
    return kept;
  }

  bool fits(const Unit& more) const {
    if (bounds_.max_messages != 0 && count_ + more.size() > bounds_.max_messages && more.size() > 0)
      return false;
    auto load = load_;
    add(load, more.load);
    const bool most = bounds_.by == Bounds::By::kMost;
    return (most ? estimate_.at_most(load) : estimate_.likely(load)) <= bounds_.tokens;
  }

  void take(const Unit& taken) {
    add(load_, taken.load);
    count_ += taken.size();
  }

  /// System messages, and those from `first` on except those between `round` and `begin`'s units.
  Window made(std::size_t first, std::size_t round, std::size_t begin) const {
    const auto newest = first > round ? std::max(first, begin) : first;
    Window window{.chosen = {system_, round, newest, messages_.size()},
                  .load = load_,
                  .from = floor_,
                  .to = newest,
                  .fits = fits_,
                  .may_fit = may_fit_};
    const auto send = [&](std::size_t from, std::size_t to) {
      for (auto i = from; i < to; ++i) window.messages.push_back(&messages_[i]);
    };
    send(0, system_);
    if (first > round) send(round, round + 1);
    send(newest, messages_.size());
    window.dropped = messages_.size() - window.messages.size();
    return window;
  }

  const std::vector<Message>& messages_;
  const Bounds& bounds_;
  const Estimate& estimate_;
  Counts& counts_;
  std::size_t system_ = 0;  // messages at the beginning
  std::size_t floor_ = 0;   // what is before it is sent as a summary
  Load load_;
  std::size_t count_ = 0;
  bool fits_ = true;
  bool may_fit_ = true;
};

}  // namespace

bool begins_round(const std::vector<Message>& messages, std::size_t index) {
  if (messages[index].role == Role::kUser) return true;
  if (messages[index].role != Role::kInjected || index == 0) return false;
  const Message& before = messages[index - 1];
  return before.role == Role::kAssistant && !tools::messages::has_calls(before);
}

Window choose(const std::vector<Message>& messages, const Bounds& bounds,
              const Estimate& estimate) {
  Counts counts;
  return choose(messages, bounds, estimate, counts);
}

Window choose(const std::vector<Message>& messages, const Bounds& bounds, const Estimate& estimate,
              Counts& counts) {
  return Chooser(messages, bounds, estimate, counts).choose();
}

}  // namespace toolway::chat::window
