#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/back_off.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "base/result.h"
#include "bus/bus.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::workers::call {

/// Whose result it is.
struct BlobOwner {
  SessionKey session;
  CallId call;
  std::string tenant;
};

/// Publishes the text of one large result in chunks, several at a time, each
/// until it is acknowledged: the attempt's thread waits in `run`, the bus
/// answers, the code that ends the attempt abandons it. Thread-safe; answers keep it alive.
class BlobUpload : public std::enable_shared_from_this<BlobUpload> {
 public:
  static constexpr unsigned kInFlight = 8;
  /// Passes a publication to the bus; false: the worker is shutting down, and nothing more can be
  /// sent.
  using Publish = std::function<bool(bus::Publication, bus::PublishHandler)>;

  BlobUpload(BlobOwner owner, Publish publish);

  /// The attempt's number is stored where all can see it, so that no other writer
  /// publishes chunks under it. Chunks are sent from now on.
  void begin(std::uint32_t attempt);
  /// `run` returns soon.
  void abandon();
  /// How many chunks are acknowledged.
  std::uint32_t stored() const;

  /// Blocks until all of `text` is acknowledged. What the bus does not accept or
  /// does not answer is published again with the same id, after a growing delay.
  /// Errors: kCancelled (abandoned), kInternal (the bus refuses a chunk). Call once.
  Result<v1::BlobRef> run(std::string_view text);

 private:
  /// Lets go of the lock while it publishes, which clang does not see through a parameter.
  bool send_one(MutexLock& lock, std::string_view text) REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;
  /// Allocates nothing: `run` would wait for ever.
  void answered(std::uint32_t number, Result<bus::PubAck> answer);

  const BlobOwner owner_;
  const Publish publish_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::optional<std::uint32_t> attempt_ GUARDED_BY(mutex_);
  bool abandoned_ GUARDED_BY(mutex_) = false;
  std::optional<Error> refused_ GUARDED_BY(mutex_);
  std::uint32_t next_ GUARDED_BY(mutex_) = 0;            ///< the first chunk that was never sent
  std::vector<std::uint32_t> again_ GUARDED_BY(mutex_);  ///< sent, but not known to be stored
  std::uint32_t in_flight_ GUARDED_BY(mutex_) = 0;
  std::uint32_t stored_ GUARDED_BY(mutex_) = 0;
  BackOff back_off_;  ///< under mutex_; its delay is zero when the last answer was good
};

}  // namespace toolway::workers::call
