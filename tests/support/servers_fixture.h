#pragma once

#include <gtest/gtest.h>

#include "local/postgres_cluster.h"
#include "persistence/schema/migrate.h"
#include "tests/support/nats.h"
#include "tests/support/temp_dir.h"

namespace toolway::test {

/// A real nats-server with the streams of pool `native`, and a real, migrated Postgres, for each
/// test.
class ServersFixture : public testing::Test {
 protected:
  void SetUp() override {
    nats_ = start_nats(directory_ / "nats");
    auto cluster =
        local::PostgresCluster::start({.directory = directory_ / "pg", .durable = false});
    ASSERT_TRUE(cluster) << cluster.error().message;
    postgres_ = std::move(*cluster);
    const auto migrated = persistence::schema::migrate(postgres_->url());
    ASSERT_TRUE(migrated) << migrated.error().message;
    bus_ = connect();
    const auto provisioned = bus_->provision(layout());
    ASSERT_TRUE(provisioned) << provisioned.error().message;
  }
  virtual bus::Layout layout() const { return {.pools = {{"native"}}}; }

  std::unique_ptr<bus::Bus> connect() { return connect_to(*nats_); }

  TempDir directory_;
  std::unique_ptr<local::NatsServer> nats_;
  std::unique_ptr<local::PostgresCluster> postgres_;
  std::unique_ptr<bus::Bus> bus_;
};

}  // namespace toolway::test
