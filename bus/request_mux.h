#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>

#include "base/mutex.h"
#include "bus/nats_connection.h"

namespace toolway::bus {

/// Requests and their answers over one connection, without blocking: every
/// request has a token in its reply subject and a deadline of its own. What other processes answer
/// (questions) goes to subjects of its own, `<inbox>.ask.<token>`, under tokens that cannot be
/// guessed: a role that may answer questions can therefore forge neither JetStream's answers nor
/// the answer to a question that it was not asked.
class RequestMux {
 public:
  /// Which bound a request falls under.
  enum class Class { kPublish, kRead, kQuestion };
  using Handler = std::function<void(Result<NatsMessage>)>;

  struct Options {
    std::chrono::milliseconds publish_timeout;
    std::chrono::milliseconds read_timeout;
    std::chrono::milliseconds question_timeout;
    std::size_t max_publishes;  ///< unanswered at once
  };

  static Result<std::unique_ptr<RequestMux>> create(NatsConnection& connection, Options options);
  ~RequestMux() { close(); }

  /// Answers what is open with kShuttingDown, and likewise what those handlers then ask. No handler
  /// runs once it has returned. The owner calls it while handlers can still reach the mux through
  /// it.
  void close();

  /// Sends, and calls `handler` exactly once, on a thread of the bus. Errors:
  /// kBusUnavailable (not sent, or JetStream is not there), kNotFound (a question that
  /// no one is there to answer), kTimeout (sent, no
  /// answer, or the connection was lost before it), kOverloaded, kShuttingDown.
  void request(Class kind, const std::string& subject, std::string_view payload,
               const std::vector<NatsHeader>& headers, Handler handler);

  /// Runs `task` about every half second while the mux lives, on its own thread.
  void every_tick(std::function<void()> task);

 private:
  struct Open {
    Class kind;
    Handler handler;
  };
  struct Deadline {
    MonotonicTime when;
    std::uint64_t token;
  };

  RequestMux(NatsConnection& connection, Options options);
  void answered(NatsMessage message);
  /// Whether there was anything to fail.
  bool fail_all(ErrorCode code, const std::string& message);
  /// Moves what has expired to the refused; returns when to look again.
  MonotonicTime expire(MonotonicTime now) REQUIRES(mutex_);
  void run();
  std::chrono::milliseconds timeout(Class kind) const;
  std::string reply_subject(Class kind, std::uint64_t token) const;

  NatsConnection& connection_;
  const Options options_;
  const std::string inbox_;  // with its trailing dot
  std::unique_ptr<Subscription> replies_;
  std::unique_ptr<Subscription> changes_;

  Mutex mutex_;
  CondVar wake_;
  std::uint64_t last_token_ GUARDED_BY(mutex_) =
      1;  // of what JetStream answers: odd; those of questions are even, and random
  std::size_t publishes_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::uint64_t, Open> open_ GUARDED_BY(mutex_);
  // One queue per class: within a class, deadlines grow.
  std::array<std::deque<Deadline>, 3> deadlines_ GUARDED_BY(mutex_);
  std::deque<std::pair<Handler, Error>> refused_ GUARDED_BY(mutex_);  // to be told on our thread
  std::function<void()> tick_ GUARDED_BY(mutex_);
  bool ending_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace toolway::bus
