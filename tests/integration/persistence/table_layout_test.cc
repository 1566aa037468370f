// What the collector thinks the tables look like, and what the migrations make of them.
#include "persistence/collector/table_layout.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "tests/integration/persistence/store_fixture.h"

namespace toolway::persistence {
namespace {

class TableLayouts : public StoreFixture {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    migrate_now();
    auto opened = postgres::PgConnection::open(url_);
    ASSERT_TRUE(opened) << opened.error().message;
    connection_ = std::move(*opened);
    for (std::size_t i = 0; i < collector::kTables; ++i)
      layouts_.push_back(&collector::layout_of(static_cast<collector::Table>(i)));
  }

  postgres::SqlRows rows(const std::string& sql,
                         const std::vector<postgres::SqlParameter>& parameters) {
    auto rows = connection_->execute(sql, parameters);
    EXPECT_TRUE(rows) << rows.error().message;
    return rows.value_or(postgres::SqlRows());
  }
  static bool has(const collector::TableLayout& layout, std::string_view column) {
    return std::ranges::any_of(layout.columns,
                               [&](const collector::Column& one) { return one.name == column; });
  }

  std::optional<postgres::PgConnection> connection_;
  std::vector<const collector::TableLayout*> layouts_;
};

TEST_F(TableLayouts, HaveTheColumnsAndTypesOfTheMigrations) {
  for (const auto* layout : layouts_) {
    SCOPED_TRACE(layout->name);
    for (const auto& column : layout->columns) {
      const auto found = rows(
          "SELECT format_type(atttypid, atttypmod) AS type, format_type($3::regtype, -1) AS ours "
          "FROM pg_attribute WHERE attrelid = $1::regclass AND attname = $2 AND NOT attisdropped",
          {layout->name, column.name, column.type});
      ASSERT_EQ(found.size(), 1U) << column.name;
      EXPECT_EQ(found[0].get<std::string>("ours"), found[0].get<std::string>("type"))
          << column.name;
    }
  }
}

TEST_F(TableLayouts, LeaveOutOnlyWhatPostgresFillsInOrTheReaperWrites) {
  std::vector<std::string> left;
  for (const auto* layout : layouts_) {
    SCOPED_TRACE(layout->name);
    for (const auto& row : rows("SELECT attname::text AS name, atthasdef FROM pg_attribute "
                                "WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped",
                                {layout->name})) {
      const auto& name = row.get<std::string>("name");
      if (has(*layout, name)) continue;
      EXPECT_TRUE(row.get<bool>("atthasdef") || name == "purge_at") << name;
      left.push_back(fmt::format("{}.{}", layout->name, name));
    }
  }
  EXPECT_EQ(left,
            (std::vector<std::string>{"completions.xid", "completions.number", "sessions.in_bucket",
                                      "sessions.purge_at", "audit_log.xid", "audit_log.number"}));
}

TEST_F(TableLayouts, MergeByThePrimaryKey) {
  for (const auto* layout : layouts_) {
    SCOPED_TRACE(layout->name);
    const auto found = rows(
        "SELECT attname::text AS name FROM pg_index, unnest(indkey) WITH ORDINALITY AS part (number, place) "
        "JOIN pg_attribute ON attnum = part.number WHERE indrelid = $1::regclass AND attrelid = indrelid "
        "AND indisprimary ORDER BY place",
        {layout->name});
    std::vector<std::string> key;
    for (const auto& row : found) key.push_back(row.get<std::string>("name"));
    EXPECT_EQ(std::vector<std::string>(layout->key.begin(), layout->key.end()), key);
  }
}

TEST_F(TableLayouts, FollowTheNewestMessageOrNone) {
  std::vector<std::string> kept;
  for (const auto* layout : layouts_) {
    SCOPED_TRACE(layout->name);
    for (const auto name : layout->order) EXPECT_TRUE(has(*layout, name)) << name;
    for (const auto& column : layout->columns) {
      const bool ordering = std::ranges::find(layout->order, column.name) != layout->order.end();
      const bool key = std::ranges::find(layout->key, column.name) != layout->key.end();
      const bool follows = column.follows == collector::Column::Follows::kYes;
      if (layout->rule == collector::MergeRule::kFirstStays || key) {
        EXPECT_FALSE(follows) << column.name;
      } else if (ordering) {
        EXPECT_TRUE(follows) << column.name;
      } else if (!follows) {
        kept.push_back(fmt::format("{}.{}", layout->name, column.name));
      }
    }
  }
  EXPECT_EQ(
      fmt::format("{}", fmt::join(kept, " ")),
      "calls.tenant_id calls.user_id calls.session_key calls.session_id calls.namespace calls.tool calls.tool_call_id "
      "calls.topic calls.multi_step calls.pool calls.submitted_at calls.parent_call_id call_alive.tenant_id sessions.tenant_id sessions.user_id "
      "sessions.session_id approvals.tenant_id approvals.user_id approvals.namespace approvals.tool approvals.requested_at")
      << "what a call or a session is from its beginning";
}

TEST_F(TableLayouts, MakeStatementsThatPostgresTakes) {
  for (const auto* layout : layouts_) {
    SCOPED_TRACE(layout->name);
    const auto columns = collector::column_list(*layout);
    const auto table = fmt::format(
        "CREATE TEMP TABLE {} AS SELECT {} FROM {} WITH NO DATA; EXPLAIN {}",
        collector::batch_table(*layout), columns, layout->name, collector::merge_sql(*layout));
    const auto planned = connection_->execute(table);
    EXPECT_TRUE(planned) << planned.error().message;
  }
}

}  // namespace
}  // namespace toolway::persistence
