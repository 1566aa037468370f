#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/client/http_client.h"
#include "local/child_process.h"
#include "local/nats_server.h"
#include "local/postgres_cluster.h"
#include "tests/chaos/proxy.h"
#include "tests/support/temp_dir.h"

namespace toolway::cli {

using Steady = std::chrono::steady_clock;

/// Looks again every 10 ms, for what another process does without telling us.
bool becomes_true(const std::function<bool()>& condition,
                  std::chrono::milliseconds timeout = std::chrono::seconds(30));

/// Stops processes in the middle of what they do, until it ends.
class Frozen {
 public:
  explicit Frozen(std::vector<int> pids);
  ~Frozen();
  Frozen(const Frozen&) = delete;
  Frozen& operator=(const Frozen&) = delete;

 private:
  std::vector<int> pids_;
};

/// An answer, and how long it took.
struct Timed {
  int status = 0;  ///< 0: none
  std::string body;
  std::chrono::milliseconds took{0};
};

/// nats-server and Postgres for all tests of a suite, and for each test a proxy before either and
/// one gateway, worker and collector that use them.
class OutageFleet : public testing::Test {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override;
  void TearDown() override;

  /// A request over a connection of its own.
  Timed ask(const std::string& method, const std::string& target, const std::string& body = {},
            const std::string& prefer = {}) const;
  Timed call() const {
    return ask("POST", "/v1/sessions/outage/calls", R"({"tool":"get_current_time"})", "wait=20");
  }
  /// A page that only Postgres has.
  Timed read() const { return ask("GET", "/v1/sessions"); }
  /// One request for each kind of thing that can be read, all at once: each must be answered within
  /// 3 s, with what it asks for or with a 503.
  void expect_reads_are_answered() const;
  /// `/readyz` of a process: it must answer at once whatever else does not.
  Timed ready(const std::string& role) const;
  /// Whether all processes still run.
  void expect_all_run();
  /// SIGTERM to all of them at once: each must end by itself, with status 0, within its time.
  void expect_all_end();
  bool succeeds() const { return call().body.find("\"succeeded\"") != std::string::npos; }
  std::string logs() const;

  static std::vector<int> nats_pids();
  static std::vector<int> postgres_pids();

  struct Servers {
    test::TempDir directory;
    std::unique_ptr<local::NatsServer> nats;
    std::unique_ptr<local::PostgresCluster> postgres;
  };
  static std::unique_ptr<Servers> servers_;

  test::TempDir directory_;
  std::unique_ptr<chaos::Proxy> to_nats_;
  std::unique_ptr<chaos::Proxy> to_postgres_;

 private:
  void start(const std::string& role, std::vector<std::string> arguments);

  std::map<std::string, std::unique_ptr<local::ChildProcess>> processes_;
  std::map<std::string, std::string> urls_;
  std::string call_id_;  ///< of a call that has ended and is recorded
};

}  // namespace toolway::cli
