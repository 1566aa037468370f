#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "bus/nats_connection.h"

namespace toolway::bus {

/// Requests and their answers over one connection, without blocking: every
/// request has a token in its reply subject and a deadline of its own. What other processes answer
/// (questions) goes to subjects of its own, `<inbox>.ask.<token>`, under tokens that cannot be
/// guessed: a role that may answer questions can therefore forge neither JetStream's answers nor
/// the answer to a question that it was not asked.
///
/// nats.c does not tell which request of a subscription no one receives. A question therefore has a
/// subscription of its own; of publications and of reads the oldest one is answered in its place.
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

  /// Sends, and calls `handler` exactly once, on the loop's thread. Errors:
  /// kBusUnavailable (not sent, or JetStream is not there), kNotFound (a question that
  /// no one is there to answer), kTimeout (sent, no answer, or the connection was lost before it;
  /// or JetStream does not answer one of several publications), kOverloaded, kShuttingDown.
  void request(Class kind, const std::string& subject, std::string_view payload,
               const std::vector<NatsHeader>& headers, Handler handler);

  /// Runs `task` about every half second while the mux lives, on the loop's thread.
  void every_tick(std::function<void()> task);

 private:
  struct Open {
    Class kind;
    Handler handler;
    std::unique_ptr<Subscription> answers;  ///< of a question
  };
  struct Deadline {
    MonotonicTime when;
    std::uint64_t token;
  };
  struct Refused {
    Open request;
    Error error;
  };

  RequestMux(NatsConnection& connection, Options options);
  Result<std::unique_ptr<Subscription>> receive(Class kind, const std::string& subject,
                                                std::uint64_t token = 0);
  /// `token`: of a question, whose subscription it came on.
  void received(Class kind, std::uint64_t token, NatsMessage message);
  /// Takes an open request out; none: it is not open any more.
  std::optional<Open> take(std::uint64_t token) REQUIRES(mutex_);
  std::optional<Open> take_oldest(Class kind) REQUIRES(mutex_);
  void refuse(Open request, Error error);
  static void tell(std::vector<Refused> refused);
  /// Whether there was anything to fail.
  bool fail_all(ErrorCode code, const std::string& message);
  /// Moves what has expired to the refused; returns when to look again.
  MonotonicTime expire(MonotonicTime now) REQUIRES(mutex_);
  /// What has expired, and what was refused, on the loop's thread.
  void look();
  void tick();
  std::chrono::milliseconds timeout(Class kind) const;
  std::string reply_subject(Class kind, std::uint64_t token) const;

  NatsConnection& connection_;
  const Options options_;
  const std::string inbox_;  // with its trailing dot
  std::unique_ptr<Subscription> acks_;
  std::unique_ptr<Subscription> reads_;
  std::unique_ptr<Subscription> changes_;

  Mutex mutex_;
  std::uint64_t last_token_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::uint64_t, Open> open_ GUARDED_BY(mutex_);
  std::array<std::size_t, 3> counts_ GUARDED_BY(mutex_){};  // of open_, by class
  // One queue per class: within a class, deadlines grow.
  std::array<std::deque<Deadline>, 3> deadlines_ GUARDED_BY(mutex_);
  std::vector<Refused> refused_ GUARDED_BY(mutex_);  // to be told by the loop
  MonotonicTime next_look_ GUARDED_BY(mutex_) = MonotonicTime::max();
  std::function<void()> task_ GUARDED_BY(mutex_);
  bool ending_ GUARDED_BY(mutex_) = false;
  // Last: their tasks use what is above.
  Loop::Timer look_;
  Loop::Timer tick_;
};

}  // namespace toolway::bus
