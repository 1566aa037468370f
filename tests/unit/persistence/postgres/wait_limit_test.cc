#include "persistence/postgres/wait_limit.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <optional>

namespace toolway::persistence::postgres {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Steady = std::chrono::steady_clock;

/// A socket whose other end says nothing.
class Quiet {
 public:
  Quiet() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0); }
  ~Quiet() {
    for (const int end : ends_) close(end);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

  int socket() const { return ends_[0]; }
  /// How long a read waited; nothing: it waits for longer than `longest`.
  std::optional<milliseconds> waited(milliseconds longest) const {
    const auto begun = Steady::now();
    pollfd readable{socket(), POLLIN, 0};
    if (poll(&readable, 1, static_cast<int>(longest.count())) == 0) return std::nullopt;
    return std::chrono::duration_cast<milliseconds>(Steady::now() - begun);
  }

 private:
  std::array<int, 2> ends_{};
};

TEST(WaitLimit, EndsAWaitWhenItsTimeIsUp) {
  WaitLimit limit;
  const Quiet quiet;
  const WaitLimit::Wait wait(limit, quiet.socket(), {.statement = milliseconds(200)});
  EXPECT_FALSE(wait.ended());
  const auto waited = quiet.waited(seconds(10));
  ASSERT_TRUE(waited);
  EXPECT_GE(*waited, milliseconds(150));
  EXPECT_TRUE(wait.ended());
}

TEST(WaitLimit, AShortWaitThatBeginsAfterALongOneIsNotKeptWaiting) {
  WaitLimit limit;
  const Quiet patient;
  const Quiet hasty;
  const WaitLimit::Wait longer(limit, patient.socket(), {.statement = seconds(60)});
  EXPECT_FALSE(patient.waited(milliseconds(50)));  // by now it is waited for
  const WaitLimit::Wait shorter(limit, hasty.socket(), {.statement = milliseconds(50)});
  EXPECT_TRUE(hasty.waited(seconds(10)));
  EXPECT_FALSE(patient.waited(milliseconds(100)));
  EXPECT_FALSE(longer.ended());
}

TEST(WaitLimit, WhatHasEndedIsLeftAlone) {
  WaitLimit limit;
  const Quiet quiet;
  {
    const WaitLimit::Wait over(limit, quiet.socket(), {.statement = milliseconds(20)});
  }
  EXPECT_FALSE(quiet.waited(milliseconds(200)));
}

TEST(WaitLimit, ACutoffEndsAWaitThatHasNoOtherEnd) {
  WaitLimit limit;
  const Quiet quiet;
  const auto cutoff = std::make_shared<PgCutoff>();
  const WaitLimit::Wait wait(limit, quiet.socket(), {.cutoff = cutoff});
  EXPECT_FALSE(quiet.waited(milliseconds(250)));
  cutoff->set(Steady::now());
  EXPECT_TRUE(quiet.waited(seconds(10)));
  EXPECT_TRUE(wait.ended());
}

TEST(WaitLimit, ACutoffThatWasSetEndsLaterWaitsAtOnce) {
  WaitLimit limit;
  const Quiet quiet;
  const auto cutoff = std::make_shared<PgCutoff>();
  cutoff->set(Steady::now());
  const WaitLimit::Wait wait(limit, quiet.socket(), {.statement = seconds(60), .cutoff = cutoff});
  EXPECT_TRUE(quiet.waited(seconds(10)));
  EXPECT_TRUE(wait.ended());
}

}  // namespace
}  // namespace toolway::persistence::postgres
