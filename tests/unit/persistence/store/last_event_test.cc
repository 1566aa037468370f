#include "persistence/store/last_event.h"

#include <gtest/gtest.h>

#include "proto/codec.h"
#include "tests/support/sql_rows.h"

namespace toolway::persistence::store {
namespace {

using postgres::SqlValue;

class LastEvent : public testing::Test {
 protected:
  LastEvent() {
    base_.set_call_id("019c1f2e-0000-7000-8000-000000000001");
    base_.set_session_key("0123456789abcdef0123456789abcdef");
    base_.mutable_labels()->set_namespace_("time");
    base_.mutable_labels()->set_tool("now");
    base_.set_worker_id("w1");
    base_.set_attempt(1);
    base_.set_seq(2);
    base_.set_time_us(1000);
  }
  /// The row as the query gives it; NULL where a test has put nothing.
  postgres::SqlRow row() const {
    std::vector<std::pair<std::string, SqlValue>> cells;
    for (const char* column :
         {"completion", "result", "completion_incarnation", "completion_sequence", "event",
          "event_incarnation", "event_sequence", "alive_attempt", "alive_seq", "alive_time",
          "alive_incarnation", "alive_sequence"}) {
      const auto found = cells_.find(column);
      cells.emplace_back(column, found == cells_.end() ? SqlValue() : found->second);
    }
    return test::sql_row(std::move(cells));
  }
  void put_event(std::int64_t incarnation, std::int64_t sequence) {
    auto started = base_;
    started.mutable_started()->set_started_at_us(900);
    cells_["event"] = proto::encode(started);
    cells_["event_incarnation"] = incarnation;
    cells_["event_sequence"] = sequence;
  }
  void put_alive(std::int64_t incarnation, std::int64_t sequence) {
    cells_["alive_attempt"] = std::int64_t{3};
    cells_["alive_seq"] = std::int64_t{7};
    cells_["alive_time"] = std::int64_t{5000};
    cells_["alive_incarnation"] = incarnation;
    cells_["alive_sequence"] = sequence;
  }

  v1::CallEvent base_;
  std::map<std::string, SqlValue, std::less<>> cells_;
};

TEST_F(LastEvent, OfACallWithoutEventsIsNothing) {
  const auto last = last_event(row());
  ASSERT_TRUE(last);
  EXPECT_FALSE(*last);
}

TEST_F(LastEvent, IsTheCompletionWithItsResultWhateverElseThereIs) {
  auto done = base_;
  done.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
  cells_["completion"] = proto::encode(done);
  cells_["result"] = std::string("[1]");
  cells_["completion_incarnation"] = std::int64_t{4};
  cells_["completion_sequence"] = std::int64_t{9};
  put_event(5, 10);
  put_alive(6, 11);
  const auto last = last_event(row());
  ASSERT_TRUE(last && *last);
  EXPECT_EQ((*last)->position, (EventPosition{4, 9}));
  EXPECT_EQ((*last)->event.completed().result(), "[1]");
}

TEST_F(LastEvent, IsTheNewestEvent) {
  put_event(5, 10);
  const auto last = last_event(row());
  ASSERT_TRUE(last && *last);
  EXPECT_EQ((*last)->position, (EventPosition{5, 10}));
  EXPECT_EQ((*last)->event.started().started_at_us(), 900);
}

TEST_F(LastEvent, AnAliveIsPutTogetherFromTheEventBeforeIt) {
  put_event(5, 10);
  put_alive(5, 11);
  const auto last = last_event(row());
  ASSERT_TRUE(last && *last);
  const auto& event = (*last)->event;
  EXPECT_EQ((*last)->position, (EventPosition{5, 11}));
  EXPECT_TRUE(event.has_alive());
  EXPECT_FALSE(event.has_started());
  EXPECT_EQ(event.attempt(), 3U);
  EXPECT_EQ(event.seq(), 7U);
  EXPECT_EQ(event.time_us(), 5000);
  EXPECT_EQ(event.worker_id(), "w1");
}

TEST_F(LastEvent, AnAliveFromBeforeTheEventIsPast) {
  for (const auto& [incarnation, sequence] : {std::pair<std::int64_t, std::int64_t>(5, 9),
                                              std::pair<std::int64_t, std::int64_t>(4, 99)}) {
    put_event(5, 10);
    put_alive(incarnation, sequence);
    const auto last = last_event(row());
    ASSERT_TRUE(last && *last);
    EXPECT_EQ((*last)->position, (EventPosition{5, 10}));
    EXPECT_TRUE((*last)->event.has_started());
  }
}

TEST_F(LastEvent, WhatCannotBeReadIsAnError) {
  put_event(5, 10);
  cells_["event"] = std::string("\xff");
  EXPECT_FALSE(last_event(row()));
  cells_["completion"] = std::string("\xff");
  EXPECT_FALSE(last_event(row()));
}

}  // namespace
}  // namespace toolway::persistence::store
