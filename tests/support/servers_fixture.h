#pragma once

#include <gtest/gtest.h>

#include "tests/support/migrated_postgres.h"
#include "tests/support/nats.h"
#include "tests/support/temp_dir.h"

namespace toolway::test {

/// A real nats-server with the streams of pool `native`, and a real, migrated Postgres, for each
/// test.
class ServersFixture : public testing::Test {
 protected:
  void SetUp() override {
    nats_ = start_nats(directory_ / "nats");
    postgres_ = migrated_postgres(directory_ / "pg");
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
