#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "bus/nats_link.h"

namespace toolway::bus {

/// A thread that connects again whenever it is asked, until it has: connecting blocks. Ends the
/// process when servers refuse this client twice in a row, since it could never speak again.
class NatsReconnector {
 public:
  /// One attempt, also to servers of which the last connection was told.
  using Connect = std::function<NatsLink::Connected(const std::vector<std::string>& others)>;

  /// `connected` is called on its thread when take() has something. Must not block or throw.
  NatsReconnector(Connect connect, std::function<void()> connected);
  /// Waits for an attempt that runs, up to 2 s a server.
  ~NatsReconnector();
  NatsReconnector(const NatsReconnector&) = delete;
  NatsReconnector& operator=(const NatsReconnector&) = delete;

  /// For a connection, also to `others`. Thread-safe, and needs no memory.
  void ask(std::vector<std::string> others);
  /// The last one was of no use.
  void ask_again();
  /// What it has connected, once. Thread-safe.
  std::shared_ptr<NatsLink> take();

 private:
  void run();
  void attempt();

  const Connect connect_;
  const std::function<void()> connected_;
  int refusals_ = 0;  // in a row; of its thread

  Mutex mutex_;
  CondVar told_;
  bool wanted_ GUARDED_BY(mutex_) = false;
  bool ended_ GUARDED_BY(mutex_) = false;
  std::vector<std::string> others_ GUARDED_BY(mutex_);
  std::shared_ptr<NatsLink> made_ GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace toolway::bus
