#include "bus/sync_support.h"

#include <gtest/gtest.h>

#include "tests/support/nats.h"
#include "tests/support/temp_dir.h"

namespace toolway::test {
namespace {

TEST(SyncSupportOfAServer, IsWhatTheServersVersionSays) {
  const TempDir dir;
  const auto server = start_nats(dir / "asked");
  const auto bus = connect_to(*server);
  ASSERT_TRUE(bus->provision({.pools = {{.name = "native"}}}));
  const auto able = bus::server_can_sync(*bus);
  // By its program's --version.
  const char* program = std::getenv("TOOLWAY_NATS_SERVER");
  const auto synced = local::NatsServer::start({.program = program == nullptr ? "" : program,
                                                .directory = dir / "power",
                                                .durability = Durability::kPower});
  EXPECT_EQ(able.has_value(), synced.has_value()) << (able ? "" : able.error().message);
}

}  // namespace
}  // namespace toolway::test
