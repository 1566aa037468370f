#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "bus/bus.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::workers {

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
  /// Passes a publication to the bus; false: the worker is shutting down, and nothing more can be sent.
  using Publish = std::function<bool(bus::Publication, bus::PublishHandler)>;

  BlobUpload(BlobOwner owner, Publish publish)
      : owner_(std::move(owner)), publish_(std::move(publish)) {}

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
  bool send_one(std::unique_lock<std::mutex>& lock, std::string_view text);
  void answered(std::uint32_t number, const Result<bus::PubAck>& answer);

  const BlobOwner owner_;
  const Publish publish_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // All below: under mutex_.
  std::optional<std::uint32_t> attempt_;
  bool abandoned_ = false;
  std::optional<Error> refused_;
  std::uint32_t next_ = 0;            ///< the first chunk that was never sent
  std::deque<std::uint32_t> again_;   ///< sent, but not known to be stored
  std::uint32_t in_flight_ = 0;
  std::uint32_t stored_ = 0;
  std::chrono::milliseconds backoff_{0};  ///< zero: the last answer was good
};

}  // namespace toolway::workers
