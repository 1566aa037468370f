// The audit as it is read over HTTP, a page at a time, on a real Postgres.
#include "persistence/audit/audit_page.h"

#include <algorithm>

#include "base/json.h"
#include "tests/integration/persistence/store_fixture.h"

namespace toolway::persistence {
namespace {

class AuditPages : public StoreFixture {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    migrate_now();
  }

  /// Calls that have ended, in one transaction.
  void record_calls(int calls) {
    Script script(clock_);
    for (int i = 0; i < calls; ++i) script.completed(script.call(), 1);
    collector::BatchWriter writer(url_, clock_);
    write_all(writer, script.messages());
  }
};

/// Every page, from the beginning.
std::vector<Json> pages_of(store::StoreReader& store, const audit::RecordFilter& filter,
                           std::size_t limit) {
  std::vector<Json> records;
  audit::RecordPlace after;
  for (int pages = 0; pages < 1000; ++pages) {
    const auto page = store.audit(filter, after, limit);
    EXPECT_TRUE(page) << page.error().message;
    if (!page) break;
    EXPECT_LE(page->records.size(), limit);
    for (const auto& record : page->records) records.push_back(*parse_json(record));
    after = page->looked_to;
    if (!page->more) break;
  }
  return records;
}

TEST_F(AuditPages, MissNothing) {
  const auto store = reader();
  EXPECT_TRUE(pages_of(*store, {}, 10).empty());
  record_calls(25);
  auto late = postgres::PgConnection::open(url_);
  ASSERT_TRUE(late);
  ASSERT_TRUE(late->execute("BEGIN"));
  ASSERT_TRUE(
      late->execute("INSERT INTO tool_specs (namespace, name, digest, document, who) "
                    "VALUES ('a', 'b', 'd', '{}', 'bob')"));
  record_calls(5);
  // What a transaction that still runs records comes before what has been recorded since.
  EXPECT_EQ(pages_of(*store, {}, 10).size(), 25U);
  ASSERT_TRUE(late->execute("COMMIT"));
  for (const std::size_t limit : {1, 7, 30, 31, 1000}) {
    const auto records = pages_of(*store, {}, limit);
    ASSERT_EQ(records.size(), 31U) << limit;
    EXPECT_EQ(records[25]["what"], "spec_put");
    EXPECT_TRUE(std::ranges::is_sorted(
        records, {}, [](const Json& record) { return record["number"].get<int>(); }));
  }
  EXPECT_EQ(pages_of(*store, {.what = "spec_put"}, 10).size(), 1U);
  EXPECT_EQ(pages_of(*store, {.user = "ann"}, 10).size(), 30U);
  EXPECT_EQ(pages_of(*store, {.tenant = "other"}, 10).size(), 0U);
  EXPECT_EQ(pages_of(*store, {.until = clock_.wall() - std::chrono::hours(24 * 3650)}, 9).size(),
            0U);
}

TEST_F(AuditPages, LookAtABoundedNumberOfRecords) {
  const auto store = reader();
  EXPECT_EQ(
      query(fmt::format("INSERT INTO audit_log (at, what, id, digest) SELECT now(), 'refused', "
                        "gen_random_uuid(), sha256('') FROM generate_series(1, {})",
                        audit::kMaxRecordLooks + 10)),
      "");
  record_calls(1);
  const auto first = store->audit({.what = "call_ended"}, {}, 10);
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->records.empty());
  EXPECT_TRUE(first->more);
  const auto second = store->audit({.what = "call_ended"}, first->looked_to, 10);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->records.size(), 1U);
  EXPECT_FALSE(second->more);
}

}  // namespace
}  // namespace toolway::persistence
