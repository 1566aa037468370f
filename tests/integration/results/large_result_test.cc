// A result of 50 MB from a tool to an HTTP client, over real NATS and real Postgres.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <fstream>
#include <random>
#include <thread>

#include "base/sha256.h"
#include "gateway/gateway.h"
#include "gateway/server/start_gateway.h"
#include "persistence/collector/collector.h"
#include "persistence/store/postgres_reader.h"
#include "tests/support/sanitized.h"
#include "tests/support/servers_fixture.h"
#include "tools/native/native.h"
#include "workers/pool/start_worker.h"
#include "workers/worker.h"

namespace toolway {
namespace {

constexpr std::size_t kLarge = 50 * 1024 * 1024;

/// Text that shows every chunk that is missing, doubled or misplaced.
std::string made_text(std::size_t size) {
  std::mt19937_64 random(7);
  std::string text;
  text.reserve(size + 16);
  while (text.size() < size) text += fmt::format("{:016x}", random());
  text.resize(size);
  return text;
}

struct Large {
  static constexpr tools::native::ToolInfo info{
      .name = "large", .ns = "sample", .idempotent = true};
  struct Args {
    std::int64_t bytes = 0;
    static constexpr auto fields =
        std::to_array<tools::native::Field>({{.name = "bytes", .minimum = 0}});
  };
  Result<Json> run(const Args& args, tools::model::ToolContext&) const {
    return Json(made_text(static_cast<std::size_t>(args.bytes)));
  }
};
BOOST_DESCRIBE_STRUCT(Large::Args, (), (bytes))

/// What came back for one request; the body only as its size and digest.
struct Reply {
  int status = 0;
  std::string head;
  std::string begin;  ///< of the body, 16 KiB at most
  std::size_t size = 0;
  std::string sha256;
};

enum class Pace { kFast, kSlow };

Reply ask(std::uint16_t port, const std::string& line, const std::string& headers = "",
          const std::string& body = "", Pace pace = Pace::kFast) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  int small = 64 * 1024;
  if (pace == Pace::kSlow) ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(0, ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)));
  const std::string request =
      line +
      " HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n" +
      headers + "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  EXPECT_EQ(static_cast<ssize_t>(request.size()), ::send(fd, request.data(), request.size(), 0));
  Reply reply;
  Sha256 digest;
  static std::array<char, 64 * 1024> buffer;
  bool in_body = false;
  std::size_t since_rest = 0;
  for (ssize_t got; (got = ::recv(fd, buffer.data(), buffer.size(), 0)) > 0;) {
    std::string_view piece(buffer.data(), static_cast<std::size_t>(got));
    if (!in_body) {
      reply.head.append(piece);
      const auto end = reply.head.find("\r\n\r\n");
      if (end == std::string::npos) continue;
      in_body = true;
      piece.remove_prefix(piece.size() - (reply.head.size() - end - 4));
      reply.head.resize(end + 2);
    }
    digest.add(piece);
    reply.size += piece.size();
    reply.begin.append(
        piece.substr(0, 16 * 1024 - std::min<std::size_t>(reply.begin.size(), 16 * 1024)));
    since_rest += piece.size();
    if (pace == Pace::kSlow && since_rest > 1024 * 1024) {
      since_rest = 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));  // that is how slow it is
    }
  }
  ::close(fd);
  reply.sha256 = digest.hex();
  if (reply.head.size() > 12) reply.status = std::stoi(reply.head.substr(9, 3));
  return reply;
}

/// A line of /proc/self/status in KiB.
std::size_t memory(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::stoul(line.substr(name.size() + 1));
  }
  return 0;
}

std::string sha256_of(std::string_view text) {
  Sha256 digest;
  digest.add(text);
  return digest.hex();
}

class LargeResultEndToEnd : public test::ServersFixture {
 protected:
  void SetUp() override {
    test::ServersFixture::SetUp();
    if (HasFatalFailure()) return;
    auto registry = std::make_shared<tools::model::Registry>();
    ASSERT_TRUE(registry->add(tools::native::make_native_tool<Large>()));
    registry_ = registry;
    live_ = std::make_unique<tools::model::LiveRegistry>(registry_);
    store_ = persistence::store::make_postgres_reader({.url = postgres_->url()});
    auto gateway =
        gateway::server::start_gateway(*bus_, *store_, *live_, *metrics_, clock_,
                                       {.port = 0, .edge = {.trust_user_header = {"loopback"}}});
    ASSERT_TRUE(gateway) << gateway.error().message;
    gateway_ = std::move(*gateway);
  }
  void start_worker() {
    auto worker = workers::pool::start_worker(*bus_, *metrics_, registry_, clock_, {});
    ASSERT_TRUE(worker) << worker.error().message;
    worker_ = std::move(*worker);
  }
  void start_collector() {
    collector_ = persistence::collector::start_collector(*bus_, *metrics_,
                                                         {.postgres_url = postgres_->url()});
  }
  /// Runs a call of that many bytes; its id.
  std::string call(std::size_t bytes) {
    ask(gateway_->port(), "POST /v1/sessions", "", R"({"session_id":"s","namespaces":["sample"]})");
    const auto reply = ask(gateway_->port(), "POST /v1/sessions/s/calls", "prefer: wait=60\r\n",
                           fmt::format(R"({{"tool":"large","arguments":{{"bytes":{}}}}})", bytes));
    EXPECT_EQ(reply.status, 200) << reply.head << reply.begin;
    EXPECT_LT(reply.size, 32U * 1024);  // a preview
    const auto at = reply.begin.find("\"call_id\":\"");
    return at == std::string::npos ? "" : reply.begin.substr(at + 11, 36);
  }

  const SystemClock clock_;
  std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("test");
  std::shared_ptr<const tools::model::Registry> registry_;
  std::unique_ptr<tools::model::LiveRegistry> live_;
  std::unique_ptr<persistence::store::StoreReader> store_;
  std::unique_ptr<gateway::Gateway> gateway_;
  std::unique_ptr<workers::Worker> worker_;
  std::unique_ptr<persistence::collector::Collector> collector_;
};

TEST_F(LargeResultEndToEnd, FiftyMegabytesComeBackAndTheGatewayHardlyGrows) {
  start_worker();
  start_collector();
  const auto begun = std::chrono::steady_clock::now();
  const std::string id = call(kLarge);
  const auto completed = std::chrono::steady_clock::now();
  const std::string path = "/v1/calls/" + id + "/result";
  // The first one waits until the chunks are recorded.
  auto whole = ask(gateway_->port(), "GET " + path);
  while (whole.status == 503) whole = ask(gateway_->port(), "GET " + path);
  const auto read = std::chrono::steady_clock::now();
  std::string expected = "\"" + made_text(kLarge) + "\"";
  const std::string sha256 = sha256_of(expected);
  ASSERT_EQ(whole.status, 200) << whole.head << whole.begin;
  EXPECT_EQ(whole.size, kLarge + 2);
  EXPECT_EQ(whole.sha256, sha256);
  EXPECT_NE(whole.head.find("etag: \"sha256:" + sha256), std::string::npos) << whole.head;
  EXPECT_NE(whole.head.find("accept-ranges: bytes"), std::string::npos);

  for (const auto& [first, size] : std::vector<std::pair<std::size_t, std::size_t>>{
           {0, 1}, {262'143, 2}, {262'144, 262'144}, {1'000'001, 5'000'003}, {kLarge, 2}}) {
    const auto part = ask(gateway_->port(), "GET " + path,
                          fmt::format("range: bytes={}-{}\r\n", first, first + size - 1));
    EXPECT_EQ(part.status, 206);
    EXPECT_EQ(part.size, size);
    EXPECT_EQ(part.sha256, sha256_of(std::string_view(expected).substr(first, size))) << first;
  }
  EXPECT_EQ(ask(gateway_->port(), "GET " + path, "range: bytes=52428802-\r\n").status, 416);
  EXPECT_EQ(
      ask(gateway_->port(), "GET " + path, "if-none-match: \"sha256:" + sha256 + "\"\r\n").status,
      304);
  const auto other =
      ask(gateway_->port(), "GET " + path, "range: bytes=0-1\r\nif-range: \"other\"\r\n");
  EXPECT_EQ(other.status, 200);
  // Only GET has ranges.
  const auto head = ask(gateway_->port(), "HEAD " + path, "range: bytes=0-0\r\n");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.size, 0U);
  EXPECT_NE(head.head.find("content-length: 52428802"), std::string::npos) << head.head;

  // Only the gateway is left in this process.
  worker_->drain();
  worker_.reset();
  collector_.reset();
  expected = std::string();
  ::malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
  const std::size_t before = memory("VmRSS");
  const auto slow = ask(gateway_->port(), "GET " + path, "", "", Pace::kSlow);
  EXPECT_EQ(slow.sha256, sha256);
  const std::size_t growth = memory("VmHWM") - std::min(before, memory("VmHWM"));
  using Ms = std::chrono::milliseconds;
  fmt::print(
      "50 MB: call to completion {} ms, then recorded and read {} ms; gateway growth {} KiB\n",
      std::chrono::duration_cast<Ms>(completed - begun).count(),
      std::chrono::duration_cast<Ms>(read - completed).count(), growth);
  EXPECT_LT(growth, std::size_t{test::resident_bound(10 * 1024)});
}

TEST_F(LargeResultEndToEnd, WaitsForACollectorThatWasAway) {
  start_worker();
  const std::string id = call(5'000'000);
  const std::string path = "/v1/calls/" + id + "/result";
  EXPECT_EQ(ask(gateway_->port(), "GET " + path).status, 503);  // not even the call is recorded
  start_collector();
  auto whole = ask(gateway_->port(), "GET " + path);
  while (whole.status == 503) whole = ask(gateway_->port(), "GET " + path);
  EXPECT_EQ(whole.sha256, sha256_of("\"" + made_text(5'000'000) + "\""));
  postgres_->stop(SIGKILL);
  EXPECT_EQ(ask(gateway_->port(), "GET " + path).status, 503);
}

}  // namespace
}  // namespace toolway
