#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/os/find_program.h"
#include "cli/bench/connections/sockets.h"
#include "cli/bench/connections/wire.h"
#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"

namespace toolway::cli {
namespace {

/// A nats-server that does not start while `dir/away` exists.
std::string nats_server_that_can_stay_away(const test::TempDir& dir) {
  const char* chosen = std::getenv("TOOLWAY_NATS_SERVER");
  const auto real = os::find_program(chosen != nullptr ? chosen : "nats-server");
  const auto script = dir / "nats-server";
  std::ofstream(script) << "#!/bin/sh\nif [ -e '" << dir / "away"
                        << "' ]; then echo 'told to stay away' >&2; exit 1; fi\n"
                        << "exec '" << real << "' \"$@\"\n";
  chmod(script.c_str(), 0755);
  return script;
}

/// A request, and the answer as it came over the wire.
std::string raw_answer(const std::string& url, const std::string& request) {
  const auto where = process::parse_host_port(url.substr(7));
  const auto fd = bench::connections::dial(*where);
  if (!fd) return fd.error().message;
  bench::connections::write_all(*fd, request);
  std::string answer;
  wait_for([&] {
    return !bench::connections::receive(*fd, answer) ||
           bench::connections::parse_answer(answer).size != 0;
  });
  close(*fd);
  return answer;
}

std::string raw_get(const std::string& url, const std::string& path) {
  return raw_answer(url, fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", path));
}

std::string raw_call(const std::string& url) {
  const std::string body = R"({"tool":"get_current_time"})";
  return raw_answer(
      url,
      "POST /v1/sessions/e2e/calls HTTP/1.1\r\nHost: localhost\r\nX-Toolway-User: e2e\r\nContent-Type: application/json\r\n"
      "Content-Length: " +
          std::to_string(body.size()) + "\r\n\r\n" + body);
}

TEST(DevOutage, WithoutNatsACallIsRefusedWith503UntilItIsBack) {
  const test::TempDir dir;
  Dev dev(dir, {}, {{"TOOLWAY_NATS_SERVER", nats_server_that_can_stay_away(dir)}});
  const auto url = dev.url();
  ASSERT_FALSE(url.empty()) << dev.log();
  ASSERT_EQ(call_and_wait(url).outcome, "succeeded");
  std::ofstream(dir / "away") << "yes";
  kill(dev.pid_of("nats"), SIGKILL);
  ASSERT_TRUE(wait_for([&] { return dev.says("nats-server cannot be started"); })) << dev.log();
  EXPECT_TRUE(dev.says("told to stay away")) << dev.log();
  EXPECT_TRUE(dev.says((dir / "data") + "/logs/nats.log")) << dev.log();
  const auto answer = raw_call(url);
  EXPECT_EQ(bench::connections::parse_answer(answer).status, 503) << answer;
  EXPECT_NE(answer.find("etry-after:"), std::string::npos) << answer;
  EXPECT_NE(answer.find("application/problem+json"), std::string::npos) << answer;
  std::filesystem::remove(dir / "away");
  EXPECT_TRUE(wait_for([&] { return call_and_wait(url).outcome == "succeeded"; })) << dev.log();
}

TEST(DevOutage, WithoutPostgresCallsRunAndStreamAndAreRecordedLater) {
  const test::TempDir dir;
  Dev dev(dir);
  const auto url = dev.url();
  ASSERT_FALSE(url.empty()) << dev.log();
  ASSERT_EQ(call_and_wait(url).outcome, "succeeded");
  const auto files = dir / "data/postgres/data/global";
  std::filesystem::rename(files, files + ".away");
  kill(dev.pid_of("postgres"), SIGKILL);
  ASSERT_TRUE(wait_for([&] { return dev.says("Postgres cannot be started"); })) << dev.log();
  EXPECT_TRUE(dev.says((dir / "data") + "/logs/postgres.log")) << dev.log();

  // So that a load balancer keeps sending calls to it.
  std::string health;
  EXPECT_TRUE(wait_for([&] {
    health = raw_get(url, "/readyz");
    return health.find("\"postgres\":\"does not answer\"") != std::string::npos;
  })) << health;
  EXPECT_EQ(bench::connections::parse_answer(health).status, 200) << health;

  const auto events = dir / "events";
  auto watch = local::ChildProcess::start(
      {.argv = {TOOLWAY_PROGRAM, "watch", "e2e", "--url", url, "--user", "e2e", "-o", "json"},
       .log_file = events});
  ASSERT_TRUE(watch) << watch.error().message;
  std::string call;
  EXPECT_TRUE(wait_for([&] {
    // Until the stream is open its events are not for us, so we call until one is seen.
    const auto seen = call_and_wait(url);
    EXPECT_EQ(seen.outcome, "succeeded");
    call = seen.call_id;
    return text_of(events).find("\"completed\"") != std::string::npos;
  })) << dev.log();
  (*watch)->signal(SIGINT);
  EXPECT_TRUE(shown_call(url, call)["recorded_at"].is_null());

  std::filesystem::rename(files + ".away", files);
  EXPECT_TRUE(wait_for([&] {
    const auto shown = shown_call(url, call);
    return shown.is_object() && shown["recorded_at"].is_string();
  })) << dev.log();
  EXPECT_TRUE(wait_for([&] { return dev.says("Postgres is back"); }));
}

}  // namespace
}  // namespace toolway::cli
