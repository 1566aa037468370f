#include <future>

#include "persistence/schema/migrate.h"
#include "tests/integration/persistence/store_fixture.h"

namespace toolway::persistence {
namespace {

class Migrate : public StoreFixture {};

TEST_F(Migrate, AppliesEachMigrationOnce) {
  const auto first = schema::migrate(url_);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->applied.size(), schema::embedded_migrations().size());
  EXPECT_EQ(first->version, schema::embedded_migrations().size());
  const auto second = schema::migrate(url_);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_TRUE(second->applied.empty());
  EXPECT_EQ(second->version, first->version);
}

TEST_F(Migrate, RunsFourTimesAtOnce) {
  std::vector<std::future<Result<schema::MigrationReport>>> runs;
  for (int i = 0; i < 4; ++i) {
    runs.push_back(std::async(std::launch::async, [this] { return schema::migrate(url_); }));
  }
  std::size_t applied = 0;
  for (auto& run : runs) {
    const auto report = run.get();
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->version, schema::embedded_migrations().size());
    applied += report->applied.size();
  }
  EXPECT_EQ(applied, schema::embedded_migrations().size());
}

TEST_F(Migrate, RefusesAMigrationThatWasChanged) {
  migrate_now();
  auto changed = schema::embedded_migrations();
  changed[0].sql += "-- edited";
  const auto report = schema::apply_migrations(url_, changed);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kInternal);
  EXPECT_NE(report.error().message.find(changed[0].name), std::string::npos);
}

TEST_F(Migrate, RefusesADatabaseThatIsNewer) {
  migrate_now();
  auto fewer = schema::embedded_migrations();
  fewer.pop_back();
  const auto report = schema::apply_migrations(url_, fewer);
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message.find("newer"), std::string::npos);
}

TEST_F(Migrate, LeavesNothingOfAMigrationThatFails) {
  const std::vector<schema::Migration> broken{
      {1, "0001_broken", "CREATE TABLE half (a int); SELECT 1/0"}};
  EXPECT_FALSE(schema::apply_migrations(url_, broken));
  EXPECT_EQ(query("SELECT count(*) FROM pg_class WHERE relname = 'half'"), "0");
  EXPECT_EQ(query("SELECT count(*) FROM schema_migrations"), "0");
}

TEST(MigrateAway, NamesNoPassword) {
  const auto report = schema::migrate("postgresql://u:hunter2@127.0.0.1:1/toolway");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kStoreUnavailable);
  EXPECT_EQ(report.error().message.find("hunter2"), std::string::npos);
}

}  // namespace
}  // namespace toolway::persistence
