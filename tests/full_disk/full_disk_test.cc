// A stack on a small file system of its own that fills up. Built where a process may mount one in a
// namespace of its own; elsewhere it is a failed test (tests/CMakeLists.txt).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "cli/client/http_client.h"
#include "local/child_process.h"
#include "tests/paths.h"
#include "tests/support/temp_dir.h"

namespace toolway::cli {
namespace {

using std::chrono::seconds;
using Steady = std::chrono::steady_clock;

/// $1: the data directory, $2: a directory for signals; the rest: what to run. No other process
/// sees the mount, so a shell next to dev fills and frees it. It ends with dev.
constexpr const char* kScript = R"(
data=$1; signs=$2; shift 2
mount -t tmpfs -o size=260m,mode=755 tmpfs "$data" || exit 90
dev=$$
(
  await() { while [ ! -e "$signs/$1" ]; do [ -d /proc/$dev ] || exit 0; sleep 0.1; done; }
  await fill; dd if=/dev/zero of="$data/filler" bs=1M 2>/dev/null; : > "$signs/filled"
  await free; rm "$data/filler"; : > "$signs/freed"
) &
exec "$@"
)";

template <typename Condition>
bool becomes_true(Condition condition, seconds timeout) {
  const auto deadline = Steady::now() + timeout;
  do {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  } while (Steady::now() < deadline);
  return false;
}

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

class FullDisk : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(dir_ / "data");
    std::filesystem::create_directories(dir_ / "signs");
    std::vector<std::string> argv{"unshare", "--mount"};
    // An ordinary user mounts as root of a user namespace, and runs dev in a second one under the
    // user's own id.
    const bool root = getuid() == 0;
    if (!root) argv.insert(argv.end(), {"--user", "--map-root-user"});
    argv.insert(argv.end(), {"sh", "-c", kScript, "sh", dir_ / "data", dir_ / "signs"});
    if (!root)
      argv.insert(argv.end(), {"unshare", "--user", fmt::format("--map-user={}", getuid()),
                               fmt::format("--map-group={}", getgid())});
    argv.insert(argv.end(),
                {TOOLWAY_PROGRAM, "dev", "--data", dir_ / "data", "--http", "127.0.0.1:0", "--root",
                 TOOLWAY_SOURCE_DIR, "--ready-file", dir_ / "ready.json"});
    auto started = local::ChildProcess::start({.argv = argv, .log_file = dir_ / "dev.log"});
    ASSERT_TRUE(started) << started.error().message;
    dev_ = std::move(*started);
    ASSERT_TRUE(becomes_true(
        [&] { return std::filesystem::exists(dir_ / "ready.json") || dev_->poll(); }, seconds(90)));
    const auto ready = parse_json(text_of(dir_ / "ready.json"));
    ASSERT_TRUE(ready) << log();
    url_ = ready->value("http", "");
    auto made = client::HttpClient::create({.url = url_, .user = "disk"});
    ASSERT_TRUE(made);
    client_ = std::move(*made);
    (void)client_->request("POST", "/v1/sessions",
                           R"({"session_id":"disk","namespaces":["bench"]})");
  }

  std::string log() const { return text_of(dir_ / "dev.log"); }
  bool says(const std::string& text) const { return log().find(text) != std::string::npos; }
  void sign(const std::string& name) const { std::ofstream(dir_ / ("signs/" + name)) << name; }
  bool signed_(const std::string& name) const {
    return std::filesystem::exists(dir_ / ("signs/" + name));
  }

  /// Fills the disk, and returns when calls are refused for it.
  void fill() {
    sign("fill");
    ASSERT_TRUE(becomes_true([&] { return signed_("filled"); }, seconds(60)));
    EXPECT_TRUE(becomes_true([&] { return says("disk full: "); }, seconds(30))) << log();
    EXPECT_TRUE(says("bytes) free of 260.0 MiB")) << log();
    EXPECT_TRUE(becomes_true([&] { return call() == 503; }, seconds(60))) << last_refusal_;
  }

  /// A read must be answered within 3 s, with what it asks for or with a 503.
  void expect_read_is_answered(const std::string& target) {
    const auto begun = Steady::now();
    const auto answer = client_->request("GET", target);
    EXPECT_LT(Steady::now() - begun, seconds(3)) << target;
    ASSERT_TRUE(answer) << target << answer.error().message;
    EXPECT_TRUE(answer->status == 200 || answer->status == 503) << target << answer->body;
  }

  /// A call of 100 KB; notes its id when it is accepted.
  int call() {
    const auto body = fmt::format(R"({{"tool":"bench.echo","arguments":{{"payload":"{}"}}}})",
                                  std::string(100'000, 'x'));
    const auto begun = Steady::now();
    auto answer = client_->request("POST", "/v1/sessions/disk/calls", body);
    slowest_ = std::max(slowest_, std::chrono::duration_cast<seconds>(Steady::now() - begun));
    if (!answer) return 0;
    if (answer->status == 202)
      accepted_.insert(answer->json().value("call_id", ""));
    else
      last_refusal_ = answer->body;
    return answer->status;
  }

  test::TempDir dir_;
  std::unique_ptr<local::ChildProcess> dev_;
  std::string url_;
  std::unique_ptr<client::HttpClient> client_;
  std::set<std::string> accepted_;
  std::string last_refusal_;
  seconds slowest_{0};
};

TEST_F(FullDisk, RefusesCallsSaysSoAndRecoversByItself) {
  ASSERT_EQ(call(), 202) << last_refusal_;
  fill();
  for (const char* target : {"/readyz", "/v1/sessions", "/v1/sessions/disk/calls"})
    expect_read_is_answered(target);
  // Longer than dev waits for a server that hangs: it must not be started on a full disk.
  const auto until = Steady::now() + seconds(20);
  while (Steady::now() < until) EXPECT_NE(call(), 500) << last_refusal_;
  EXPECT_LE(slowest_, seconds(10));
  EXPECT_FALSE(says("killing and restarting it")) << log();
  sign("free");
  ASSERT_TRUE(becomes_true([&] { return signed_("freed"); }, seconds(60)));
  EXPECT_TRUE(becomes_true([&] { return call() == 202; }, seconds(90))) << last_refusal_ << log();
  EXPECT_TRUE(becomes_true([&] { return says("disk has room again: "); }, seconds(30))) << log();
  // Nothing that was accepted is lost.
  for (const auto& id : accepted_) {
    std::string shown;
    EXPECT_TRUE(becomes_true(
        [&] {
          auto answer = client_->request("GET", "/v1/calls/" + id);
          shown = answer ? answer->body : answer.error().message;
          return shown.find("\"succeeded\"") != std::string::npos;
        },
        seconds(120)))
        << shown << log();
  }
  dev_->signal(SIGTERM);
  EXPECT_EQ(dev_->wait(seconds(90)), 0) << log();
}

TEST_F(FullDisk, EverythingEndsWhileItIsFull) {
  fill();
  dev_->signal(SIGTERM);
  EXPECT_EQ(dev_->wait(seconds(90)), 0) << log();
}

}  // namespace
}  // namespace toolway::cli
