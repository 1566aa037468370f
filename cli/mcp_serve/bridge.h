#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "cli/mcp_serve/client_line.h"

namespace toolway::cli::mcp_serve {

/// How many lines of a client are with the gateway at once, and how many of them may be calls of
/// tools: a `ping`, and what cancels a call, find a place next to those.
inline constexpr std::size_t kMaxAtOnce = 16;
inline constexpr std::size_t kMaxCallsAtOnce = 14;
/// Subscriptions last as long as their client: they take none of those places.
inline constexpr std::size_t kMaxListening = 4;
/// How many may wait for that. Then the client is not read.
inline constexpr std::size_t kMaxWaiting = 64;

/// Hands the lines of one client to threads, in their order. While `initialize` is in
/// progress, nothing else is: what comes after it belongs to its session.
class Bridge {
 public:
  /// Takes one line to its end; ends early when the token says so. On any thread.
  using Carry =
      std::function<void(const std::string& text, const ClientLine& line, std::stop_token stop)>;
  using Write = std::function<void(const std::string& line)>;
  Bridge(Carry carry, Write write);
  /// Stops what is in progress.
  ~Bridge();
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;

  /// For one thread. What is not a message is answered at once. Blocks while kMaxWaiting wait.
  void take(std::string text);
  /// Returns when everything that was taken has ended; stops subscriptions, which do not end.
  void finish();

 private:
  struct Job {
    std::string text;
    ClientLine line;
    std::stop_source stop;
    bool begun = false;
  };
  using Jobs = std::list<Job>;

  void work();
  bool cancel(const ClientLine& line);
  Jobs::iterator next_job() REQUIRES(mutex_);

  const Carry carry_;
  const Write write_;
  Mutex mutex_;
  CondVar changed_;
  Jobs jobs_ GUARDED_BY(mutex_);  ///< those that wait, and those in progress
  std::size_t under_way_ GUARDED_BY(mutex_) = 0;
  std::size_t calls_ GUARDED_BY(mutex_) = 0;      ///< of tools, in progress
  std::size_t listening_ GUARDED_BY(mutex_) = 0;  ///< subscriptions, in progress
  bool initializing_ GUARDED_BY(mutex_) = false;
  bool ending_ GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;  ///< started when they are needed; of `take`
};

}  // namespace toolway::cli::mcp_serve
