#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bus/bus.h"
#include "tests/contract/bus/fault_clients.h"
#include "tests/support/awaiting.h"

/// What the tests of connection faults publish, and what must have become of it.
namespace toolway::test::faults {

/// What streams have of each publication, by its number; without the payload.
using Stored = std::map<std::size_t, std::vector<bus::StoredMessage>>;

/// Publications whose payloads begin with their number, and the answer to each. Thread-safe.
class Publications {
 public:
  /// Publishes the next one with a payload of at least `size` bytes.
  void publish(bus::Bus& bus, std::string subject, std::size_t size = 0) {
    std::string payload;
    {
      const std::scoped_lock lock(state_->mutex);
      payload = std::to_string(state_->answers.size());
      state_->answers.emplace_back();
    }
    const auto number = static_cast<std::size_t>(std::stoul(payload));
    if (payload.size() < size) (payload += ' ').resize(size, 'x');
    bus.publish({.subject = std::move(subject), .payload = std::move(payload)},
                once_.handler<Result<bus::PubAck>>(
                    [state = state_, number](const Result<bus::PubAck>& ack) {
                      const std::scoped_lock lock(state->mutex);
                      state->answers[number] = ack;
                      ++(ack ? state->acknowledged : state->refused);
                      state->answered.notify_all();
                    }));
  }

  std::size_t open() const { return once_.open(); }
  testing::AssertionResult all_answered(std::chrono::milliseconds patience = kPatience) const {
    return once_.all_called(patience);
  }

  /// Waits for `count` more acknowledgements.
  bool more_acknowledged(std::size_t count) const { return more(&State::acknowledged, count); }
  /// Waits for `count` more errors.
  bool more_refused(std::size_t count) const { return more(&State::refused, count); }
  std::size_t acknowledged() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->acknowledged;
  }
  /// How many were answered with an error of `code`.
  std::size_t failed(ErrorCode code) const {
    const std::scoped_lock lock(state_->mutex);
    return static_cast<std::size_t>(std::count_if(
        state_->answers.begin(), state_->answers.end(),
        [code](const auto& answer) { return answer && !*answer && answer->error().code == code; }));
  }

  /// The numbers of those that were answered with an error.
  std::vector<std::size_t> refused() const {
    const std::scoped_lock lock(state_->mutex);
    std::vector<std::size_t> numbers;
    for (std::size_t number = 0; number < state_->answers.size(); ++number) {
      const auto& answer = state_->answers[number];
      if (answer && !*answer) numbers.push_back(number);
    }
    return numbers;
  }

  /// Adds what the stream has.
  static testing::AssertionResult read(bus::Bus& bus, const std::string& stream, Stored& stored);

  /// Each acknowledged publication is stored once, under its sequence; each that was refused with
  /// kBusUnavailable is not stored; each that timed out is stored at most once. No publication ends
  /// with another error.
  void check(const Stored& stored) const;

 private:
  struct State {
    mutable std::mutex mutex;
    std::condition_variable answered;
    std::deque<std::optional<Result<bus::PubAck>>> answers;
    std::size_t acknowledged = 0;
    std::size_t refused = 0;
  };
  bool more(std::size_t State::* counted, std::size_t count) const {
    std::unique_lock lock(state_->mutex);
    const std::size_t wanted = (*state_).*counted + count;
    return state_->answered.wait_for(lock, kPatience, [&] { return (*state_).*counted >= wanted; });
  }

  OnceEach once_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

inline testing::AssertionResult Publications::read(bus::Bus& bus, const std::string& stream,
                                                   Stored& stored) {
  constexpr std::uint64_t kAtOnce = 256;
  Awaited<Result<bus::StreamState>> state;
  bus.stream_state(stream, state.callback());
  const auto last = state.next();
  if (!last || !*last) return testing::AssertionFailure() << "no state of " << stream;
  for (std::uint64_t first = 1; first <= (*last)->last_sequence; first += kAtOnce) {
    const std::uint64_t end = std::min(first + kAtOnce, (*last)->last_sequence + 1);
    Awaited<Result<bus::StoredMessage>> messages;
    for (std::uint64_t sequence = first; sequence < end; ++sequence) {
      bus.next_message(stream, ">", sequence, bus::ReadFrom::kAnyReplica, messages.callback());
    }
    for (std::uint64_t sequence = first; sequence < end; ++sequence) {
      const auto message = messages.next();
      if (!message || !*message)
        return testing::AssertionFailure()
               << stream << " cannot be read: " << (message ? message->error().message : "silence");
      const std::string word = first_word((*message)->payload);
      std::size_t number = 0;
      const auto parsed = std::from_chars(word.data(), word.data() + word.size(), number);
      if (parsed.ptr != word.data() + word.size()) continue;  // a marker
      stored[number].push_back(
          {.sequence = (*message)->sequence, .stored_at = (*message)->stored_at});
    }
  }
  return testing::AssertionSuccess();
}

inline void Publications::check(const Stored& stored) const {
  const std::scoped_lock lock(state_->mutex);
  for (std::size_t number = 0; number < state_->answers.size(); ++number) {
    const auto& answer = state_->answers[number];
    const auto found = stored.find(number);
    std::vector<std::uint64_t> sequences;
    if (found != stored.end()) {
      for (const auto& message : found->second) sequences.push_back(message.sequence);
    }
    ASSERT_TRUE(answer) << number << " has no answer";
    if (*answer) {
      ASSERT_EQ(sequences, std::vector<std::uint64_t>{(*answer)->sequence})
          << number << " was acknowledged";
      continue;
    }
    const ErrorCode code = answer->error().code;
    ASSERT_TRUE(code == ErrorCode::kBusUnavailable || code == ErrorCode::kTimeout)
        << number << ": " << answer->error().message;
    ASSERT_LE(sequences.size(), code == ErrorCode::kTimeout ? 1U : 0U)
        << number << ": " << answer->error().message;
  }
}

/// Threads that publish calls and events, and ask all kinds of questions, in bursts, until they are
/// destroyed.
class Traffic {
 public:
  Traffic(bus::Bus& bus, Publications& publications, OnceEach& questions)
      : bus_(bus), publications_(publications), questions_(questions) {
    for (auto& thread : threads_) thread = std::thread([this] { run(); });
  }
  ~Traffic() {
    {
      const std::scoped_lock lock(mutex_);
      ending_ = true;
    }
    ended_.notify_all();
    for (auto& thread : threads_) thread.join();
  }
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;

 private:
  static constexpr int kBurst = 8;
  static constexpr std::size_t kMaxOpen = 500;  // fewer than the bus refuses
  /// Between bursts, so that a slow machine is not drowned.
  static constexpr std::chrono::milliseconds kPause{5};

  void run() {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, kPause, [this] { return ending_; })) {
      lock.unlock();
      if (publications_.open() < kMaxOpen && questions_.open() < kMaxOpen) burst();
      lock.lock();
    }
  }
  void burst() {
    for (int i = 0; i < kBurst; ++i) {
      publications_.publish(bus_, i % 2 == 0 ? kCall : event_subject());
    }
    bus_.stream_state("CALLS", questions_.handler<Result<bus::StreamState>>());
    bus_.consumer_state(kPool, questions_.handler<Result<bus::ConsumerState>>());
    bus_.next_message("EVENTS", ">", 1, bus::ReadFrom::kLeader,
                      questions_.handler<Result<bus::StoredMessage>>());
    bus_.durables("CALLS", questions_.handler<Result<std::vector<std::string>>>());
    bus_.request("ctl.nobody", "?", questions_.handler<Result<std::string>>());
  }

  bus::Bus& bus_;
  Publications& publications_;
  OnceEach& questions_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
  std::array<std::thread, 4> threads_;
};

}  // namespace toolway::test::faults
