#include "cli/bench/load/group_run.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <optional>
#include <set>

#include "cli/bench/connections/sockets.h"
#include "cli/bench/figures/threshold.h"

namespace toolway::cli::bench::load {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// The kernel takes connections, and no answer ever comes on them.
class SilentGateway {
 public:
  SilentGateway() {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address_);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address_), size), 0);
    EXPECT_EQ(listen(fd_, 512), 0);
    EXPECT_EQ(getsockname(fd_, reinterpret_cast<sockaddr*>(&address_), &size), 0);
  }
  ~SilentGateway() { close(fd_); }
  SilentGateway(const SilentGateway&) = delete;
  SilentGateway& operator=(const SilentGateway&) = delete;
  process::HostPort where() const { return {"127.0.0.1", ntohs(address_.sin_port)}; }

 protected:
  const int fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address_{};
};

/// Takes every call at once, and completes it when it is told to.
class WillingGateway : public SilentGateway {
 public:
  WillingGateway() { fcntl(fd_, F_SETFL, O_NONBLOCK); }
  ~WillingGateway() {
    for (const auto& [fd, unread] : connections_) close(fd);
  }

  /// Answers what is there.
  void serve() {
    for (int fd = accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); fd >= 0;
         fd = accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC))
      connections_[fd];
    for (auto& [fd, unread] : connections_) {
      connections::receive(fd, unread);
      if (unread.find("\r\n\r\n") == std::string::npos) continue;
      if (unread.starts_with("GET")) {
        stream_ = fd;
        connections::write_all(fd, "HTTP/1.1 200 OK\r\n\r\n");
      } else {
        called_on_.insert(fd);
        const auto body = fmt::format(R"({{"call_id":"{}"}})", id(++taken_));
        connections::write_all(
            fd, fmt::format("HTTP/1.1 202 Accepted\r\nContent-Length: {}\r\n\r\n{}", body.size(),
                            body));
      }
      unread.clear();
    }
  }
  unsigned taken() const { return taken_; }
  /// Connections that calls came on.
  std::size_t called_on() const { return called_on_.size(); }
  /// An event of a call; `fields` follow its id.
  void say(std::string_view type, unsigned number, std::string_view fields) const {
    connections::write_all(stream_, fmt::format("event: {}\ndata: {{\"call_id\":\"{}\",{}}}\n\n",
                                                type, id(number), fields));
  }
  /// Says once more that a call was completed.
  void say_completed(unsigned number) const {
    say("completed", number, R"("outcome":"succeeded")");
  }
  void complete() {
    while (completed_ < taken_) say_completed(++completed_);
  }

 private:
  static std::string id(unsigned number) {
    return fmt::format("01890a5d-ac96-774b-bcce-{:012}", number);
  }
  std::map<int, std::string> connections_;  ///< and what was read of each
  std::set<int> called_on_;
  int stream_ = -1;
  unsigned taken_ = 0;
  unsigned completed_ = 0;
};

class GroupRunTest : public testing::Test {
 protected:
  GroupRunTest() {
    group_.calls = {{}};
    group_.sessions = 1;
  }
  ~GroupRunTest() override { close(epoll_); }

  GroupRun& begin() {
    run_.emplace(group_, target_, GroupRun::Epoll{.fd = epoll_, .tag = 0},
                 [](const std::string&) { return OrderedJson(); });
    EXPECT_TRUE(run_->follow());
    EXPECT_TRUE(run_->connect());
    deliver(0, [&] { return run_->following(); });
    run_->begin(kSecond, kSecond + static_cast<std::int64_t>(target_.warm_up * 1e9));
    return *run_;
  }
  /// Begins, and brings all calls that are due at `now` to the gateway.
  GroupRun& begin_and_call(std::int64_t now, std::int64_t calls) {
    auto& run = begin();
    run.on_time(now);
    deliver(now, [&] { return run.open_calls() == calls; });
    return run;
  }
  /// Lets both sides talk, by a clock that says `now`, until `until` holds.
  void deliver(std::int64_t now, const std::function<bool()>& until) {
    for (int turns = 0; turns < 1000 && !until(); ++turns) {
      gateway_->serve();
      epoll_event event{};
      if (epoll_wait(epoll_, &event, 1, 10) == 1) run_->on_ready(event.data.u64, now);
    }
    EXPECT_TRUE(until());
  }
  double figure(const char* name) const { return run_->record().figures(1).at(name); }

  WillingGateway willing_;
  WillingGateway* gateway_ = &willing_;
  scenario::LoadGroup group_{.name = "all", .user = "ann"};
  LoadTarget target_{.gateways = {willing_.where()}, .run = "x"};
  std::optional<GroupRun> run_;

 private:
  const int epoll_ = epoll_create1(EPOLL_CLOEXEC);
};

TEST_F(GroupRunTest, OfAWarmUpThatSettlesEveryCallIsCompletedBeforeTheFirstStage) {
  group_.stages = {{1, 10, 10}};
  target_.warm_up = 1;
  target_.settle = true;
  target_.keep_ids = true;
  auto& run = begin_and_call(3 * kSecond, 10);
  EXPECT_EQ(figure("calls"), 0) << "the warm-up's alone were sent";
  gateway_->complete();
  deliver(4 * kSecond, [&] { return run.idle(); });
  EXPECT_FALSE(run.done());
  EXPECT_EQ(run.events(), 0U);
  run.on_time(5 * kSecond);
  EXPECT_EQ(run.zero(), 5 * kSecond);
  run.on_time(6 * kSecond);
  EXPECT_EQ(figure("calls"), 10);
  deliver(6 * kSecond, [&] { return run.open_calls() == 10; });
  gateway_->complete();
  deliver(7 * kSecond, [&] { return run.done(); });
  EXPECT_EQ(run.events(), 10U);
  EXPECT_EQ(run.ids().size(), 10U);
  EXPECT_EQ(figure("max"), 2000) << "due at 5 s, and completed at 7 s";
  EXPECT_EQ(run.errors(), 0U);
}

TEST_F(GroupRunTest, WithoutSettlingTheFirstStageIsDueWhenItIs) {
  group_.stages = {{1, 10, 10}};
  target_.warm_up = 1;
  auto& run = begin();
  run.on_time(3 * kSecond);
  EXPECT_EQ(figure("calls"), 10);
  EXPECT_EQ(run.zero(), 2 * kSecond);
}

TEST_F(GroupRunTest, AClosedLoopSettlesAndEndsWithItsLastCall) {
  group_.pace = scenario::Pace::kConcurrency;
  group_.stages = {{1e9, 2, 2}};
  group_.most = 3;
  target_.warm_up = 1;
  target_.settle = true;
  auto& run = begin_and_call(kSecond, 2);
  run.on_time(2 * kSecond);
  gateway_->complete();
  deliver(3 * kSecond, [&] { return gateway_->taken() == 4 && run.open_calls() == 2; });
  EXPECT_EQ(run.zero(), 3 * kSecond);
  EXPECT_EQ(figure("calls"), 2);
  gateway_->complete();
  deliver(4 * kSecond, [&] { return gateway_->taken() == 5 && run.open_calls() == 1; });
  gateway_->complete();
  deliver(5 * kSecond, [&] { return run.done(); });
  EXPECT_EQ(figure("calls"), 3);
  EXPECT_EQ(gateway_->taken(), 5U);
}

TEST_F(GroupRunTest, AnOpenLoopEndsWithItsLastCall) {
  group_.stages = {{1e9, 10, 10}};
  group_.most = 3;
  auto& run = begin();
  run.on_time(9 * kSecond);
  EXPECT_EQ(figure("calls"), 3);
  deliver(9 * kSecond, [&] { return run.open_calls() == 3; });
  EXPECT_FALSE(run.done());
  gateway_->complete();
  deliver(10 * kSecond, [&] { return run.done(); });
}

TEST_F(GroupRunTest, ConnectionsAreUsedInTurnOrTheLastOneAgain) {
  const auto used = [&](scenario::NextConnection next) {
    WillingGateway gateway;
    gateway_ = &gateway;
    target_.gateways = {gateway.where()};
    group_.stages = {{1, 4, 4}};
    group_.connections = 8;
    group_.next_connection = next;
    auto& run = begin();
    for (unsigned i = 0; i < 4; ++i) {
      const auto now = kSecond + i * kSecond / 4;
      run.on_time(now);
      deliver(now, [&] { return run.open_calls() == i + 1; });
    }
    run_.reset();
    return gateway.called_on();
  };
  EXPECT_EQ(used(scenario::NextConnection::kInTurn), 4U);
  EXPECT_EQ(used(scenario::NextConnection::kLastUsed), 1U);
}

TEST_F(GroupRunTest, ACallThatIsSeenCompletedTwiceIsAnError) {
  group_.stages = {{1, 1, 1}};
  auto& run = begin_and_call(2 * kSecond, 1);
  gateway_->complete();
  deliver(2 * kSecond, [&] { return run.idle(); });
  EXPECT_EQ(figure("repeats"), 0);
  gateway_->say_completed(1);
  deliver(3 * kSecond, [&] { return run.errors() == 1; });
  EXPECT_EQ(figure("repeats"), 1);
  EXPECT_NE(run.record().first_error().find("seen a second time"), std::string::npos);
}

TEST_F(GroupRunTest, AnUnknownOutcomeIsKeptApartOfAToolThatRunsOnceAlone) {
  group_.stages = {{1, 2, 2}};
  auto& run = begin_and_call(2 * kSecond, 2);
  gateway_->say("completed", 1, R"("tool":"work_once","namespace":"bench","outcome":"unknown")");
  deliver(3 * kSecond, [&] { return run.open_calls() == 1; });
  EXPECT_EQ(run.attempts().unknown(), std::vector<double>{2});
  EXPECT_EQ(figure("failed"), 0);
  gateway_->say("completed", 2, R"("tool":"work","namespace":"bench","outcome":"unknown")");
  deliver(4 * kSecond, [&] { return run.idle(); });
  EXPECT_EQ(run.attempts().unknown().size(), 1U);
  EXPECT_EQ(figure("failed"), 1);
  EXPECT_EQ(figure("repeats"), 0);
}

TEST_F(GroupRunTest, ASecondStartOfAToolThatRunsOnceIsAnError) {
  group_.stages = {{1, 1, 1}};
  auto& run = begin_and_call(2 * kSecond, 1);
  gateway_->say("started", 1, R"("tool":"work_once","namespace":"bench","attempt":1,"seq":1)");
  gateway_->say("started", 1, R"("tool":"work_once","namespace":"bench","attempt":2,"seq":2)");
  deliver(3 * kSecond, [&] { return run.errors() == 1; });
  EXPECT_EQ(figure("repeats"), 1);
  EXPECT_TRUE(run.record().first_error().starts_with("ran twice: "));
  EXPECT_TRUE(run.attempts().again().empty());
}

TEST(GroupRun, CallsThatAGatewaySwallowsAreNotASuccess) {
  const SilentGateway gateway;
  scenario::LoadGroup group{.name = "all", .user = "ann", .sessions = 2};
  group.pace = scenario::Pace::kRate;
  group.stages = {{1, 200, 200}};
  group.calls = {{}};
  const LoadTarget target{.gateways = {gateway.where()}, .run = "x"};
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  {
    GroupRun run(group, target, {.fd = epoll, .tag = 0},
                 [](const std::string&) { return OrderedJson(); });
    ASSERT_TRUE(run.connect());
    run.begin(kSecond, kSecond);
    run.on_time(3 * kSecond);
    EXPECT_FALSE(run.done());
    run.give_up();
    const auto figures = run.record().figures(1);
    EXPECT_EQ(figures.at("calls"), 200);
    EXPECT_EQ(figures.at("refused"), 200)
        << "128 that were not answered, and those that waited after them";
    EXPECT_EQ(figures.at("error_rate"), 100);
    EXPECT_FALSE(figures::judge(*figures::parse_threshold("p99 < 50ms", figures::FigureOf::kCalls),
                                "", figures)
                     .holds);
  }
  close(epoll);
}

}  // namespace
}  // namespace toolway::cli::bench::load
