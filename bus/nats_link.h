#pragma once

#include <nats/nats.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "bus/jetstream_options.h"
#include "bus/loop.h"

namespace toolway::bus {

/// A header of a message to be published.
struct NatsHeader {
  const char* name;
  std::string value;
};

using NatsSubscription = std::shared_ptr<natsSubscription>;

/// One connection of nats.c, from its handshake to its loss; it never connects again. nats.c can,
/// but with an event loop it keeps its parser (3.4.1 to 3.13 do): a connection that breaks in the
/// middle of a message would have what the next one brings read as the rest of that message.
class NatsLink {
 public:
  /// Whose turns read and write, and who is told of the loss.
  struct Owner {
    Loop& loop;
    Loop::Source& source;
    /// Called once, on a thread of nats.c's, before lost() says so to others. Must not block or
    /// throw.
    std::function<void()> lost;
  };

  /// Or why not, in nats.c's words: NATS_CONNECTION_AUTH_FAILED when a server refuses this client.
  using Connected = tl::expected<std::shared_ptr<NatsLink>, natsStatus>;

  /// Tries each server once, those of `wanted` and `others`. Blocks for up to 2 s a server.
  static Connected connect(Owner owner, const JetStreamOptions& wanted, const std::string& inboxes,
                           const std::vector<std::string>& others);
  ~NatsLink();
  NatsLink(const NatsLink&) = delete;
  NatsLink& operator=(const NatsLink&) = delete;

  /// From now on the loop waits for its socket. On the loop's thread, or before its first turn.
  void watch();
  /// On the loop's thread: what has come is in the subscriptions afterwards.
  void read();
  /// On the loop's thread: writes what has gathered. Ends the connection when the server has read
  /// nothing for 2 s.
  void write();

  /// Thread-safe; does not wait. Errors: kBusUnavailable (not sent), kPayloadTooLarge.
  Result<void> publish(const std::string& subject, const std::string& reply,
                       std::string_view payload, const std::vector<NatsHeader>& headers);
  /// Thread-safe. Synchronous, so that nats.c delivers nothing by threads of its own. Errors:
  /// kBusUnavailable.
  Result<NatsSubscription> subscribe(const std::string& subject, const std::string& group);

  /// Until its socket is closed, which comes before its loss is told.
  bool open() const { return attached_.load(std::memory_order_acquire); }
  bool lost() const { return lost_.load(std::memory_order_acquire); }
  /// The servers that it was told of, for the next connection.
  std::vector<std::string> discovered() const;
  /// For as long as this lives.
  natsConnection* raw() { return connection_; }
  /// Ends it, after up to 500 ms for what was published; the owner is not told. Once it returns,
  /// nats.c calls back no more.
  void close();

 private:
  explicit NatsLink(Owner owner);
  natsStatus set_callbacks(natsOptions* options);
  void watch_writable(bool wanted);
  void give_up_sending();

  static natsStatus attach(void** self, void* link, natsConnection* connection, natsSock socket);
  static natsStatus on_read_wanted(void* self, bool wanted);
  static natsStatus on_write_wanted(void* self, bool wanted);
  static natsStatus detach(void* self);
  static void on_error(natsConnection*, natsSubscription*, natsStatus error, void* self);
  static void on_closed(natsConnection*, void* self);

  const Owner owner_;
  natsConnection* connection_ = nullptr;

  // What nats.c wants of the loop, by its calls from any thread.
  std::atomic<bool> attached_{false};
  std::atomic<int> socket_{-1};
  std::atomic<bool> write_wanted_{false};
  std::atomic<bool> lost_{false};
  std::atomic<bool> closing_{false};
  // Of the loop's thread.
  bool watching_writable_ = false;
  std::optional<MonotonicTime> stuck_since_;  // the server has taken nothing of what waits
  Loop::Timer patience_;

  Mutex closed_mutex_;
  CondVar closed_told_;
  bool closed_ GUARDED_BY(closed_mutex_) = false;  // the closed callback has run
};

}  // namespace toolway::bus
