#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "bus/bus.h"
#include "proto/subjects.h"
#include "tests/support/awaiting.h"
#include "tests/support/stopped.h"

/// What the tests of connection faults do with a bus, beside publishing (fault_traffic.h).
namespace toolway::test::faults {

inline const SessionKey kSession = *SessionKey::parse("a3f00000000000000000000000000001");
inline const std::string kCall = proto::call_subject("native", proto::Lane::kNormal, 0, kSession);
inline const bus::Durable kPool{"CALLS", proto::call_durable("native", proto::Lane::kNormal, 0)};

/// Of an event of its own, which the server republishes.
inline std::string event_subject() {
  return proto::event_subject(kSession, CallId::make(SystemClock().wall()));
}

/// What a payload begins with: padding comes after a space.
inline std::string first_word(std::string_view payload) {
  return std::string(payload.substr(0, payload.find(' ')));
}

/// Counts handlers of which any number may run, but none after the end. Thread-safe; copies share
/// the count.
class NoneLate {
 public:
  void ran() const {
    const std::scoped_lock lock(state_->mutex);
    ++state_->before_the_end;
    if (state_->ended) ++state_->late;
    state_->more.notify_all();
  }
  bool ran_often(std::size_t times) const {
    std::unique_lock lock(state_->mutex);
    return state_->more.wait_for(lock, kPatience, [&] { return state_->before_the_end >= times; });
  }
  void end() const {
    const std::scoped_lock lock(state_->mutex);
    state_->ended = true;
  }
  std::size_t late() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->late;
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable more;
    std::size_t before_the_end = 0;
    std::size_t late = 0;
    bool ended = false;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// Counts the calls of handlers that must each be called once. Thread-safe; what it hands out may
/// be called after its end.
class OnceEach {
 public:
  /// A handler that is counted and then does `then`.
  template <typename T>
  std::function<void(T)> handler(std::function<void(const T&)> then = {}) {
    std::size_t number = 0;
    {
      const std::scoped_lock lock(state_->mutex);
      number = state_->calls.size();
      state_->calls.push_back(0);
      ++state_->open;
    }
    return [state = state_, runs = runs_, number, then = std::move(then)](const T& value) {
      if (then) then(value);
      runs.ran();
      const std::scoped_lock lock(state->mutex);
      int& calls = state->calls[number];
      ++calls;
      if (calls == 1) --state->open;
      if (calls == 2) ++state->repeated;
      state->called.notify_all();
    };
  }

  /// How many have not been called yet.
  std::size_t open() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->open;
  }
  /// Whether each is called; waits for it.
  testing::AssertionResult all_called(std::chrono::milliseconds patience = kPatience) const {
    std::unique_lock lock(state_->mutex);
    state_->called.wait_for(lock, patience, [this] { return state_->open == 0; });
    if (state_->open == 0 && state_->repeated == 0) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << "of " << state_->calls.size() << " handlers " << state_->open
           << " were never called, and " << state_->repeated << " more than once";
  }

  /// Whether they were called this often, together; waits for it.
  bool ran_often(std::size_t times) const { return runs_.ran_often(times); }
  /// From now on a call is a late one.
  void end() const { runs_.end(); }
  std::size_t late() const { return runs_.late(); }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable called;
    std::deque<int> calls;
    std::size_t open = 0;
    std::size_t repeated = 0;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
  NoneLate runs_;
};

/// A pull client, a live subscription and a watcher of the connection, which stay open over faults.
class OpenClients {
 public:
  explicit OpenClients(bus::Bus& bus) : bus_(bus) {
    watched_ = bus.on_connection([this, told = changes_.callback()](bus::Connection state) {
      if (state == bus::Connection::kGap) return;
      if (bus_.connection() != state) told(bus::Connection::kGap);  // which no test expects
      told(state);
    });
    auto followed = bus.follow("live.>", [heard = live_.callback()](const bus::LiveMessage& live) {
      heard(first_word(live.payload));
    });
    EXPECT_TRUE(followed) << followed.error().message;
    if (followed) live_subscription_ = std::move(*followed);
    pull_ = bus.pull(kPool, [this, came = pulled_.callback()](bus::Delivery delivery) {
      delivery.ack();
      allow(1);
      came(first_word(delivery.payload));
    });
    allow(kAllowed);
  }
  ~OpenClients() {
    {
      const std::scoped_lock lock(mutex_);
      ending_ = true;
    }
    pull_.reset();
  }
  OpenClients(const OpenClients&) = delete;
  OpenClients& operator=(const OpenClients&) = delete;

  /// The next change of the connection, and that nothing but `expected` is told.
  testing::AssertionResult next_change_is(bus::Connection expected) {
    const auto change = changes_.next();
    if (change == expected) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << (change ? "another change was told: " + std::to_string(static_cast<int>(*change))
                      : "no change was told");
  }
  std::size_t untold_changes() const { return changes_.waiting(); }

  /// Whether publishing, the pull and the subscription work, without being asked to work again.
  testing::AssertionResult work() {
    const std::string marker = "marker-" + std::to_string(++markers_);
    if (!publish(kCall, marker)) return testing::AssertionFailure() << "no call is acknowledged";
    if (!came(pulled_, marker)) return testing::AssertionFailure() << "the pull is silent";
    if (!publish(event_subject(), marker))
      return testing::AssertionFailure() << "no event is acknowledged";
    if (!came(live_, marker)) return testing::AssertionFailure() << "the subscription is silent";
    return testing::AssertionSuccess();
  }

 private:
  static constexpr std::size_t kAllowed = 64;

  void allow(std::size_t count) {
    const std::scoped_lock lock(mutex_);
    if (!ending_ && pull_) pull_->allow(count);
  }
  /// Until it is acknowledged: after a restart JetStream takes a moment.
  bool publish(const std::string& subject, const std::string& payload) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < until) {
      Awaited<Result<bus::PubAck>> ack;
      bus_.publish({.subject = subject, .payload = payload}, ack.callback());
      const auto answer = ack.next();
      if (answer && *answer) return true;
    }
    return false;
  }
  static bool came(Awaited<std::string>& messages, const std::string& wanted) {
    while (const auto message = messages.next()) {
      if (*message == wanted) return true;
    }
    return false;
  }

  bus::Bus& bus_;
  int markers_ = 0;
  Awaited<bus::Connection> changes_;
  Awaited<std::string> live_;
  Awaited<std::string> pulled_;
  std::unique_ptr<bus::Subscription> watched_;
  std::unique_ptr<bus::Subscription> live_subscription_;
  std::mutex mutex_;
  bool ending_ = false;
  std::unique_ptr<bus::PullConsumer> pull_;
};

/// Ends the process, with a message, when it is not destroyed in time: a test cannot go on after a
/// destructor that hangs.
class HangAlarm {
 public:
  explicit HangAlarm(std::string what) : what_(std::move(what)), thread_([this] { run(); }) {}
  ~HangAlarm() {
    {
      const std::scoped_lock lock(mutex_);
      done_ = true;
    }
    ended_.notify_all();
    thread_.join();
  }
  HangAlarm(const HangAlarm&) = delete;
  HangAlarm& operator=(const HangAlarm&) = delete;

 private:
  void run() {
    std::unique_lock lock(mutex_);
    if (ended_.wait_for(lock, 2 * kPatience, [this] { return done_; })) return;
    std::fprintf(stderr, "%s hangs\n", what_.c_str());
    std::abort();
  }

  const std::string what_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace toolway::test::faults
