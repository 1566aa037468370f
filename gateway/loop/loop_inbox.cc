#include "gateway/loop/loop_inbox.h"

#include "base/mutex.h"

namespace toolway::gateway::loop {

void LoopInbox::post(std::shared_ptr<Letter> letter) {
  const MutexLock lock(mutex_);
  if (!closed_) put(std::move(letter));
}

bool LoopInbox::offer(std::shared_ptr<Letter> letter, std::size_t bytes) {
  const MutexLock lock(mutex_);
  if (closed_) return true;
  if (offered_ >= kMostOffered || offered_bytes_ + bytes > kMostOfferedBytes) return false;
  ++offered_;
  offered_bytes_ += bytes;
  put(std::move(letter));
  return true;
}

void LoopInbox::put(std::shared_ptr<Letter> letter) {
  letters_.push_back(std::move(letter));
  if (scheduled_) return;
  scheduled_ = true;
  // Under the lock, so that the io_context cannot be destroyed in between.
  asio::post(io_, [self = shared_from_this()] { self->drain(); });
}

void LoopInbox::drain() {
  constexpr std::size_t kBetweenLooks = 32;
  constexpr std::chrono::milliseconds kTurn{4};
  if (opened_ == opening_.size()) {
    opening_.clear();
    opened_ = 0;
    const MutexLock lock(mutex_);
    opening_.swap(letters_);
    offered_ = offered_bytes_ = 0;
  }
  const auto end = std::chrono::steady_clock::now() + kTurn;
  while (opened_ < opening_.size()) {
    const auto letter = std::move(opening_[opened_++]);
    letter->open();
    if (opened_ % kBetweenLooks == 0 && std::chrono::steady_clock::now() >= end) break;
  }
  const MutexLock lock(mutex_);
  scheduled_ = opened_ < opening_.size() || !letters_.empty();
  if (scheduled_) asio::post(io_, [self = shared_from_this()] { self->drain(); });
}

bool LoopInbox::expect(Expectant& expectant) {
  if (abandoned_) return false;
  expectants_.push_back(expectant);
  return true;
}

void LoopInbox::abandon() {
  abandoned_ = true;
  while (!expectants_.empty()) expectants_.front().give_up();
}

void LoopInbox::close() {
  const MutexLock lock(mutex_);
  closed_ = true;
  letters_.clear();
}

}  // namespace toolway::gateway::loop
