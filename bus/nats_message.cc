#include "bus/nats_message.h"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include "base/mutex.h"

namespace toolway::bus {
namespace {

/// nats.c frees messages on a thread of its own, and wakes it for the first one that it is given.
/// That costs more than the rest of a message's life: so it is given many at once.
class Spent {
 public:
  void put(natsMsg* message) {
    std::array<natsMsg*, kMaxKept> full;
    std::size_t count = 0;
    {
      const MutexLock lock(mutex_);
      kept_[count_++] = message;
      bytes_ += static_cast<std::size_t>(natsMsg_GetDataLength(message));
      if (count_ < kMaxKept && bytes_ < kMaxBytes) return;
      full = kept_;
      count = std::exchange(count_, 0);
      bytes_ = 0;
    }
    for (std::size_t i = 0; i < count; ++i) natsMsg_Destroy(full[i]);
  }

 private:
  static constexpr std::size_t kMaxKept = 512;  // 64: a tenth more CPU in gateway and worker
  static constexpr std::size_t kMaxBytes = 256 * 1024;
  Mutex mutex_;
  std::array<natsMsg*, kMaxKept> kept_ GUARDED_BY(mutex_){};
  std::size_t count_ GUARDED_BY(mutex_) = 0;
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
};

/// Of the process, to its end.
Spent& spent() {
  static Spent all;
  return all;
}

}  // namespace

void NatsMessage::Destroy::operator()(natsMsg* message) const { spent().put(message); }

std::string_view NatsMessage::subject() const {
  return message_ == nullptr ? std::string_view() : natsMsg_GetSubject(message_.get());
}

std::string_view NatsMessage::reply() const {
  if (message_ == nullptr) return {};
  const char* reply = natsMsg_GetReply(message_.get());
  return reply == nullptr ? std::string_view() : reply;
}

std::string_view NatsMessage::data() const {
  if (message_ == nullptr) return {};
  return {natsMsg_GetData(message_.get()),
          static_cast<std::size_t>(natsMsg_GetDataLength(message_.get()))};
}

std::string_view NatsMessage::header(const char* name) const {
  if (message_ == nullptr) return {};
  const char** values = nullptr;
  int count = 0;
  std::string_view last;
  if (natsMsgHeader_Values(message_.get(), name, &values, &count) == NATS_OK && count > 0) {
    last = values[count - 1];  // the strings belong to the message, the array to us
  }
  std::free(static_cast<void*>(values));
  return last;
}

std::string_view NatsMessage::status() const {
  if (message_ == nullptr) return "503";
  if (natsMsg_GetDataLength(message_.get()) != 0) return {};
  const char* value = nullptr;
  if (natsMsgHeader_Get(message_.get(), "Status", &value) != NATS_OK) return {};
  return value;
}

}  // namespace toolway::bus
