#include "cli/bench/group_run.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/bench/threshold.h"

namespace toolway::cli {
namespace {

/// The kernel takes connections, and nobody ever answers on them.
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
  HostPort where() const { return {"127.0.0.1", ntohs(address_.sin_port)}; }

 private:
  const int fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address_{};
};

TEST(GroupRun, CallsThatAGatewaySwallowsAreNoSuccess) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const SilentGateway gateway;
  LoadGroup group{.name = "all", .user = "ann", .sessions = 2};
  group.pace = Pace::kRate;
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
        << "128 that were not answered, and those that waited behind them";
    EXPECT_EQ(figures.at("error_rate"), 100);
    EXPECT_FALSE(judge(*parse_threshold("p99 < 50ms", FigureOf::kCalls), "", figures).holds);
  }
  close(epoll);
}

}  // namespace
}  // namespace toolway::cli
