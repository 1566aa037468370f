#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "local/nats_server.h"
#include "local/postgres_cluster.h"
#include "local/tcp.h"
#include "tests/support/temp_dir.h"

namespace toolway::local {
namespace {

using test::TempDir;

std::string nats_program() {
  const char* program = std::getenv("TOOLWAY_NATS_SERVER");
  return program != nullptr ? program : "";
}

std::uint16_t port_of(const std::string& url) {
  return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
}

/// The first column of the first row, or the server's complaint.
std::string query(const std::string& url, const std::string& sql) {
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(url.c_str()),
                                                                &PQfinish);
  if (PQstatus(connection.get()) != CONNECTION_OK) return PQerrorMessage(connection.get());
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection.get(), sql.c_str()),
                                                             &PQclear);
  if (PQresultStatus(result.get()) == PGRES_TUPLES_OK && PQntuples(result.get()) > 0)
    return PQgetvalue(result.get(), 0, 0);
  return PQerrorMessage(connection.get());
}

TEST(NatsServerProcess, StartsIsKilledAndComesBackOnTheSamePort) {
  const TempDir dir;
  auto server = NatsServer::start({.program = nats_program(), .directory = dir / "nats"});
  ASSERT_TRUE(server) << server.error().message;
  const auto url = (*server)->url();
  const int pid = (*server)->pid();
  EXPECT_TRUE((*server)->alive());
  EXPECT_TRUE(jetstream_answers(port_of(url), std::chrono::seconds(5)));
  (*server)->stop(SIGKILL);
  EXPECT_FALSE((*server)->alive());
  EXPECT_FALSE(port_taken(port_of(url)));
  const auto again = (*server)->restart();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ((*server)->url(), url);
  EXPECT_NE((*server)->pid(), pid);
  EXPECT_TRUE(jetstream_answers(port_of(url), std::chrono::seconds(5)));
}

TEST(NatsServerProcess, OutlivesTheThreadThatStartedIt) {
  const TempDir dir;
  Result<std::unique_ptr<NatsServer>> server = fail(ErrorCode::kInternal, "not started");
  std::thread([&] {
    server = NatsServer::start({.program = nats_program(), .directory = dir / "nats"});
  }).join();
  ASSERT_TRUE(server) << server.error().message;
  EXPECT_TRUE(jetstream_answers(port_of((*server)->url()), std::chrono::seconds(5)));
}

TEST(NatsServerProcess, SaysWhichProgramIsMissing) {
  const TempDir dir;
  const auto server =
      NatsServer::start({.program = "/nowhere/nats-server", .directory = dir / "nats"});
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().code, ErrorCode::kNotFound);
  EXPECT_NE(server.error().message.find("/nowhere/nats-server"), std::string::npos);
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(NatsServerProcess, SyncsEachMessageForDurabilityPowerOnly) {
  const TempDir dir;
  const auto usual = NatsServer::start({.program = nats_program(), .directory = dir / "process"});
  ASSERT_TRUE(usual) << usual.error().message;
  EXPECT_EQ(text_of(dir / "process/nats.conf").find("sync_interval"), std::string::npos);
  const auto synced = NatsServer::start(
      {.program = nats_program(), .directory = dir / "power", .durability = Durability::kPower});
  if (synced) {
    EXPECT_NE(text_of(dir / "power/nats.conf").find("sync_interval: always"), std::string::npos);
  } else {
    EXPECT_EQ(synced.error().code, ErrorCode::kInvalidRequest);
    EXPECT_NE(synced.error().message.find(" is 2.9"), std::string::npos) << synced.error().message;
  }
}

TEST(NatsServerProcess, RefusesDurabilityPowerOfAServerThatCannotSync) {
  const TempDir dir;
  const auto old = dir / "nats-server";
  std::ofstream(old) << "#!/bin/sh\necho nats-server: v2.9.25\n";
  std::filesystem::permissions(old, std::filesystem::perms::owner_all);
  const auto server = NatsServer::start(
      {.program = old, .directory = dir / "nats", .durability = Durability::kPower});
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().code, ErrorCode::kInvalidRequest);
  EXPECT_NE(server.error().message.find("needs nats-server 2.10 or later"), std::string::npos)
      << server.error().message;
}

TEST(NatsServerProcess, SaysWhyItDidNotStart) {
  const TempDir dir;
  auto first = NatsServer::start({.program = nats_program(), .directory = dir / "a"});
  ASSERT_TRUE(first) << first.error().message;
  const auto second = NatsServer::start(
      {.program = nats_program(), .directory = dir / "b", .port = port_of((*first)->url())});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("address already in use"), std::string::npos)
      << second.error().message;
  EXPECT_TRUE((*first)->alive());
}

TEST(PostgresClusterProcess, KeepsItsDataOverKillRestartAndANewObject) {
  const TempDir dir;
  const auto where = dir / "pg";
  auto cluster = PostgresCluster::start({.directory = where});
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_EQ((*cluster)->directory(), where);
  EXPECT_NE((*cluster)->url().find("/toolway"), std::string::npos);
  query((*cluster)->url(), "CREATE TABLE t AS SELECT 41 AS n");
  EXPECT_EQ(query((*cluster)->url(), "SELECT n FROM t"), "41");
  EXPECT_EQ(query((*cluster)->url(), "SHOW server_encoding"), "UTF8");
  EXPECT_EQ(query((*cluster)->url(), "SHOW fsync"), "on");

  query((*cluster)->url(), "UPDATE t SET n = 42");
  (*cluster)->stop(SIGKILL);  // its backends are still on their way out
  EXPECT_FALSE((*cluster)->alive());
  const auto url = (*cluster)->url();
  const auto again = (*cluster)->restart();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ((*cluster)->url(), url);
  EXPECT_EQ(query(url, "SELECT n FROM t"), "42");

  const int pid = (*cluster)->pid();
  cluster->reset();
  EXPECT_NE(kill(pid, 0), 0);
  auto later = PostgresCluster::start({.directory = where});
  ASSERT_TRUE(later) << later.error().message;
  EXPECT_EQ(query((*later)->url(), "SELECT n FROM t"), "42");
}

TEST(PostgresClusterProcess, ComesBackAlthoughABackendOfTheKilledOneIsBusy) {
  const TempDir dir;
  auto cluster = PostgresCluster::start({.directory = dir / "pg", .durable = false});
  ASSERT_TRUE(cluster) << cluster.error().message;
  const std::unique_ptr<PGconn, decltype(&PQfinish)> busy(PQconnectdb((*cluster)->url().c_str()),
                                                          &PQfinish);
  // It computes and waits for nothing, so it does not notice that its postmaster is gone.
  ASSERT_EQ(PQsendQuery(busy.get(), "DO $$ BEGIN LOOP END LOOP; END $$"), 1);
  ASSERT_EQ(PQflush(busy.get()), 0);
  const int backend = PQbackendPID(busy.get());
  (*cluster)->stop(SIGKILL);
  EXPECT_EQ(kill(backend, 0), 0);
  const auto again = (*cluster)->restart();
  ASSERT_TRUE(again) << again.error().message;
  // At most a zombie that init has not reaped yet: that works in no directory.
  std::error_code gone;
  const auto works_in = std::filesystem::read_symlink(fmt::format("/proc/{}/cwd", backend), gone);
  EXPECT_TRUE(gone) << works_in;
  EXPECT_EQ(query((*cluster)->url(), "SELECT 1"), "1");
}

TEST(PostgresClusterProcess, WantsThePasswordThatOnlyItsOwnerCanRead) {
  const TempDir dir;
  auto cluster = PostgresCluster::start({.directory = dir / "pg", .durable = false});
  ASSERT_TRUE(cluster) << cluster.error().message;
  const auto url = fmt::format("postgresql://toolway:guess@127.0.0.1:{}/toolway",
                               port_of((*cluster)->url().substr(0, (*cluster)->url().rfind('/'))));
  EXPECT_NE(query(url, "SELECT 1").find("password authentication failed"), std::string::npos);
  struct stat status{};
  ASSERT_EQ(stat((dir / "pg/password").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST(PostgresClusterProcess, EndsTheServerThatAKilledParentLeftRunning) {
  const TempDir dir;
  const auto where = dir / "pg";
  auto cluster = PostgresCluster::start({.directory = where, .durable = false});
  ASSERT_TRUE(cluster) << cluster.error().message;
  query((*cluster)->url(), "CREATE TABLE t AS SELECT 7 AS n");
  // The same data directory, while the first server still runs: what a start
  // sees that follows closely on a killed one.
  auto second = PostgresCluster::start({.directory = where, .durable = false});
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_FALSE((*cluster)->alive());
  EXPECT_EQ(query((*second)->url(), "SELECT n FROM t"), "7");
}

TEST(PostgresClusterProcess, GoesElsewhereWhenItsUserCannotReachTheDirectory) {
  if (geteuid() != 0) {
    // No other user is in its way: it stays where it was told to.
    const TempDir dir;
    auto cluster = PostgresCluster::start({.directory = dir / "pg", .durable = false});
    ASSERT_TRUE(cluster) << cluster.error().message;
    EXPECT_EQ((*cluster)->directory(), dir / "pg");
    return;
  }
  const TempDir dir;
  chmod(dir.path().c_str(), 0700);
  std::string elsewhere;
  {
    auto cluster =
        PostgresCluster::start({.directory = dir / "pg", .durable = false, .keep = false});
    ASSERT_TRUE(cluster) << cluster.error().message;
    elsewhere = (*cluster)->directory();
    EXPECT_EQ(elsewhere.find("/var/lib/toolway/"), 0U);
    EXPECT_EQ(query((*cluster)->url(), "SELECT 1"), "1");
  }
  EXPECT_FALSE(std::filesystem::exists(elsewhere));
}

}  // namespace
}  // namespace toolway::local
