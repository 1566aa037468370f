#include "gateway/loop_inbox.h"

namespace toolway::gateway {

void LoopInbox::post(std::shared_ptr<Letter> letter) {
  const std::scoped_lock lock(mutex_);
  if (closed_) return;
  letters_.push_back(std::move(letter));
  if (scheduled_) return;
  scheduled_ = true;
  // Under the lock, so that the io_context cannot go away in between.
  asio::post(io_, [self = shared_from_this()] { self->drain(); });
}

void LoopInbox::drain() {
  {
    const std::scoped_lock lock(mutex_);
    opening_.swap(letters_);
    scheduled_ = false;
  }
  for (auto& letter : opening_) letter->open();
  opening_.clear();
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
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  letters_.clear();
}

}  // namespace toolway::gateway
