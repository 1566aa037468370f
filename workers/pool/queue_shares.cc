#include "workers/pool/queue_shares.h"

#include <algorithm>

namespace toolway::workers::pool {
namespace {

constexpr std::size_t kNormalTurns = 4;  // … then one of bulk
constexpr std::size_t kProbePart = 8;    // of the slots, for a lane that is thought empty

}  // namespace

std::size_t QueueShares::add(const std::string& durable, proto::Lane lane) {
  const auto found = std::ranges::find(queues_, durable, &Queue::durable);
  if (found != queues_.end()) {
    found->there = true;
    return static_cast<std::size_t>(found - queues_.begin());
  }
  queues_.push_back({.durable = durable, .lane = lane});
  return queues_.size() - 1;
}

void QueueShares::remove(std::size_t queue) {
  queues_[queue].there = false;
  queues_[queue].asked = 0;
  queues_[queue].pending = 0;
}

bool QueueShares::take(std::size_t queue, std::uint64_t pending) {
  Queue& from = queues_[queue];
  if (from.asked > 0) --from.asked;
  from.heard = true;
  from.pending = pending;
  if (held_ >= slots_) return false;
  ++held_;
  return true;
}

std::size_t QueueShares::queues() const {
  return static_cast<std::size_t>(std::ranges::count_if(queues_, &Queue::there));
}

std::size_t QueueShares::probe(const Queue& queue) const {
  const auto in_lane = static_cast<std::size_t>(std::ranges::count_if(
      queues_, [&](const Queue& other) { return other.there && other.lane == queue.lane; }));
  const std::size_t lane = std::max<std::size_t>(1, slots_ / kProbePart);
  return std::max<std::size_t>(1, lane / std::max<std::size_t>(1, in_lane));
}

std::size_t QueueShares::asked() const {
  std::size_t sum = 0;
  for (const Queue& queue : queues_) sum += queue.asked;
  return sum;
}

QueueShares::Queue* QueueShares::neediest(proto::Lane lane) {
  Queue* least = nullptr;
  for (Queue& queue : queues_) {
    if (queue.lane != lane || queue.wants() == 0) continue;
    if (least == nullptr || queue.asked < least->asked) least = &queue;
  }
  return least;
}

QueueShares::Queue* QueueShares::next_turn() {
  Queue* normal = neediest(proto::Lane::kNormal);
  Queue* bulk = neediest(proto::Lane::kBulk);
  // A lane on its own gets everything, and its turns are not counted against it later.
  if (normal == nullptr || bulk == nullptr) return normal == nullptr ? bulk : normal;
  const bool bulks = turn_ == kNormalTurns;
  turn_ = bulks ? 0 : turn_ + 1;
  return bulks ? bulk : normal;
}

std::vector<QueueShares::Ask> QueueShares::ask() {
  std::vector<Ask> asks;
  if (held_ >= slots_) return asks;
  asks.reserve(queues_.size());  // before anything counts as asked for
  std::vector<std::size_t> more(queues_.size(), 0);
  const bool few = slots_ < 2 * queues();
  // With few slots, an empty queue's one is asked for beyond them.
  std::size_t taken = held_;
  for (const Queue& queue : queues_) {
    if (!few || queue.pending > 0) taken += queue.asked;
  }
  std::size_t free = slots_ - std::min(slots_, taken);
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    Queue& queue = queues_[i];
    const std::size_t most = probe(queue);
    if (!queue.there || queue.pending > 0 || queue.asked >= most) continue;
    const std::size_t count = few ? 1 : std::min(free, most - queue.asked);
    more[i] += count;
    queue.asked += count;
    if (!few) free -= count;
  }
  for (; free > 0; --free) {
    Queue* queue = next_turn();
    if (queue == nullptr) break;
    ++more[static_cast<std::size_t>(queue - queues_.data())];
    ++queue->asked;
  }
  for (std::size_t i = 0; i < more.size(); ++i) {
    if (more[i] > 0) asks.push_back({i, more[i]});
  }
  return asks;
}

std::vector<QueueShares::Ask> QueueShares::too_many() {
  std::vector<Ask> asks;
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    Queue& queue = queues_[i];
    // Asked for all that time, but nothing came: others have taken what waited.
    if (!queue.heard && queue.asked > 0) queue.pending = 0;
    queue.heard = false;
    const std::size_t keeps = probe(queue);
    if (queue.there && queue.pending == 0 && queue.asked > keeps)
      asks.push_back({i, queue.asked - keeps});
  }
  return asks;
}

std::vector<QueueShares::Ask> QueueShares::all_asked() const {
  std::vector<Ask> asks;
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    if (queues_[i].asked > 0) asks.push_back({i, queues_[i].asked});
  }
  return asks;
}

void QueueShares::taken_back(Ask ask) {
  Queue& queue = queues_[ask.queue];
  queue.asked -= std::min(queue.asked, ask.count);
}

}  // namespace toolway::workers::pool
