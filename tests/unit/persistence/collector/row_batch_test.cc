#include "persistence/collector/row_batch.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "proto/codec.h"

namespace toolway::persistence::collector {
namespace {

constexpr std::string_view kCall = "019c1f2e-0000-7000-8000-000000000001";
constexpr std::string_view kOtherCall = "019c1f2e-0000-7000-8000-000000000000";
constexpr std::string_view kSession = "0123456789abcdef0123456789abcdef";

v1::CallEvent event(std::string_view call) {
  v1::CallEvent event;
  event.set_call_id(std::string(call));
  event.set_session_key(std::string(kSession));
  event.mutable_labels()->set_namespace_("time");
  event.mutable_labels()->set_tool("now");
  event.set_attempt(1);
  event.set_seq(1);
  event.set_submitted_at_us(7);
  return event;
}

Message message(Source source, std::string_view payload, std::uint64_t sequence) {
  return {source, "subject", payload, 5, sequence};
}

TEST(RowBatch, PutsEveryKindOfMessageIntoItsTable) {
  auto started = event(kCall);
  started.mutable_started();
  auto alive = event(kCall);
  alive.mutable_alive();
  auto completed = event(kCall);
  completed.mutable_completed()->set_outcome(v1::OUTCOME_FAILED);
  const auto a = proto::encode(started);
  const auto b = proto::encode(alive);
  const auto c = proto::encode(completed);
  RowBatch batch;
  ASSERT_TRUE(batch.add(message(Source::kEvents, a, 1), 0));
  ASSERT_TRUE(batch.add(message(Source::kEvents, b, 2), 1));
  ASSERT_TRUE(batch.add(message(Source::kEvents, c, 3), 2));
  EXPECT_EQ(batch.table(Table::kEvents).rows.size(), 1U);
  EXPECT_EQ(batch.table(Table::kAlive).rows.size(), 1U);
  ASSERT_EQ(batch.table(Table::kCompletions).rows.size(), 1U);
  EXPECT_EQ(batch.table(Table::kCompletions).rows[0].message, 2U);
  ASSERT_EQ(batch.completed().size(), 1U);
  EXPECT_EQ(batch.completed()[0].tool, "time.now");
  EXPECT_EQ(batch.completed()[0].submitted_at_us, 7);
}

TEST(RowBatch, TakesChunksOfLargeResults) {
  v1::BlobChunk chunk;
  chunk.set_call_id(std::string(kCall));
  chunk.set_attempt(2);
  chunk.set_number(7);
  chunk.set_data("data");
  const auto good = proto::encode(chunk);
  chunk.set_attempt(0);
  const auto no_attempt = proto::encode(chunk);
  chunk.set_attempt(1);
  chunk.set_data(std::string(proto::kBlobChunkBytes + 1, 'x'));
  const auto too_long = proto::encode(chunk);
  chunk.clear_data();
  const auto empty = proto::encode(chunk);
  RowBatch batch;
  EXPECT_TRUE(batch.add(message(Source::kBlobs, good, 1), 0));
  EXPECT_FALSE(batch.add(message(Source::kBlobs, no_attempt, 2), 1));
  EXPECT_FALSE(batch.add(message(Source::kBlobs, too_long, 3), 2));
  EXPECT_FALSE(batch.add(message(Source::kBlobs, empty, 4), 3));
  EXPECT_FALSE(batch.add(message(Source::kBlobs, "garbage", 5), 4));
  EXPECT_EQ(batch.table(Table::kBlobs).rows.size(), 1U);
}

TEST(RowBatch, RefusesWhatIsNotAMessage) {
  RowBatch batch;
  EXPECT_FALSE(batch.add(message(Source::kCalls, "\xff\xff\xff", 1), 0));
  EXPECT_FALSE(batch.add(message(Source::kEvents, "", 1), 0));
  EXPECT_FALSE(batch.add(message(Source::kSessions, "\xff", 1), 0));
}

TEST(RowBatch, KeepsTheRowOfADeletedBucketEntry) {
  RowBatch batch;
  EXPECT_TRUE(batch.add(message(Source::kSessions, "", 1), 0));
  EXPECT_TRUE(batch.table(Table::kSessions).rows.empty());
}

TEST(RowBatch, OrdersRowsTheSameWayInEveryCollector) {
  auto first = event(kCall);
  first.mutable_started();
  auto second = event(kOtherCall);
  second.mutable_started();
  const auto a = proto::encode(first);
  const auto b = proto::encode(second);
  RowBatch batch;
  ASSERT_TRUE(batch.add(message(Source::kEvents, a, 1), 0));
  ASSERT_TRUE(batch.add(message(Source::kEvents, b, 2), 1));
  batch.sort();
  EXPECT_EQ(batch.table(Table::kEvents).rows[0].message, 1U);
  EXPECT_EQ(batch.table(Table::kEvents).rows[1].message, 0U);
}

TEST(RowBatch, CountsNoLatencyOfWhatCameBefore) {
  auto completed = event(kCall);
  completed.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
  const auto bytes = proto::encode(completed);
  auto again = message(Source::kEvents, bytes, 3);
  again.redelivered = true;
  RowBatch batch;
  ASSERT_TRUE(batch.add(again, 0));
  EXPECT_TRUE(batch.completed().empty());
  EXPECT_TRUE(batch.table(Table::kCompletions).redelivered);
}

/// The lengths of a row's fields, -1 for NULL.
std::vector<std::int32_t> field_lengths(std::string_view row) {
  const auto number = [&row](std::size_t bytes) {
    std::uint32_t value = 0;
    for (const char byte : row.substr(0, bytes))
      value = value << 8 | static_cast<unsigned char>(byte);
    row.remove_prefix(bytes);
    return value;
  };
  std::vector<std::int32_t> lengths(number(2));
  for (auto& length : lengths) {
    length = static_cast<std::int32_t>(number(4));
    row.remove_prefix(static_cast<std::size_t>(std::max(length, 0)));
  }
  EXPECT_TRUE(row.empty());
  return lengths;
}

bool may_have(std::string_view type, std::int32_t length) {
  static const std::map<std::string_view, std::int32_t> kFixed{
      {"uuid", 16}, {"boolean", 1}, {"integer", 4}, {"bigint", 8}, {"timestamptz", 8}, {"xid8", 8}};
  const auto fixed = kFixed.find(type);
  return length == -1 || fixed == kFixed.end() || fixed->second == length;
}

TEST(RowBatch, HasAFieldForEachColumnOfItsTable) {
  v1::CallRequest call;
  call.set_call_id(std::string(kCall));
  call.set_session_key(std::string(kSession));
  auto asked = event(kCall);
  asked.mutable_approval_requested();
  auto alive = event(kCall);
  alive.mutable_alive();
  auto completed = event(kCall);
  completed.mutable_completed()->set_outcome(v1::OUTCOME_FAILED);
  completed.mutable_completed()->set_started_at_us(1);
  completed.mutable_completed()->mutable_error()->set_code("tool_failed");
  completed.mutable_completed()->mutable_blob()->set_size(1);
  v1::BlobChunk chunk;
  chunk.set_call_id(std::string(kCall));
  chunk.set_attempt(1);
  chunk.set_data("data");
  v1::SessionRecord session;
  session.set_session_key(std::string(kSession));
  session.set_closing(v1::SessionRecord::CLOSING_WAIT);
  session.set_closed_at_us(1);
  session.set_active_at_us(1);
  const std::vector<std::pair<Source, std::string>> published{
      {Source::kCalls, proto::encode(call)},       {Source::kEvents, proto::encode(asked)},
      {Source::kEvents, proto::encode(completed)}, {Source::kEvents, proto::encode(alive)},
      {Source::kBlobs, proto::encode(chunk)},      {Source::kSessions, proto::encode(session)}};
  RowBatch batch;
  for (const auto& [source, payload] : published) {
    const auto added = batch.add(message(source, payload, 1), 0);
    ASSERT_TRUE(added) << added.error().message;
  }
  auto key = message(Source::kApiKeys, "", 1);
  v1::ApiKeyRecord record;
  record.set_expires_at_us(1);
  const auto stored = record.SerializeAsString();
  key.subject = "$KV.api_keys.0123456789ab";
  key.payload = stored;
  ASSERT_TRUE(batch.add(key, 0));
  for (std::size_t i = 0; i < kTables; ++i) {
    const auto& layout = layout_of(static_cast<Table>(i));
    SCOPED_TRACE(layout.name);
    const auto& from = batch.table(static_cast<Table>(i));
    ASSERT_EQ(from.rows.size(), 1U);
    const auto lengths = field_lengths(
        std::string_view(from.bytes).substr(from.rows[0].offset, from.rows[0].length));
    ASSERT_EQ(lengths.size(), layout.columns.size());
    for (std::size_t column = 0; column < lengths.size(); ++column) {
      EXPECT_TRUE(may_have(layout.columns[column].type, lengths[column]))
          << layout.columns[column].name << " has " << lengths[column] << " bytes";
    }
  }
}

}  // namespace
}  // namespace toolway::persistence::collector
