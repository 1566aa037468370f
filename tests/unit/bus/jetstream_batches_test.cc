#include "bus/jetstream_batches.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"

namespace toolway::bus::api {
namespace {

using Kind = BatchAnswer::Kind;

std::string refusal(int code) {
  return fmt::format(R"({{"error":{{"code":400,"err_code":{},"description":"no"}},"stream":"E"}})",
                     code);
}

std::string info(const std::string& version, const std::string& atomic, int replicas = 1) {
  return fmt::format(
      R"({{"config":{{"name":"E","num_replicas":{},{}"metadata":{{"_nats.ver":"{}"}}}},"state":{{}}}})",
      replicas, atomic, version);
}
constexpr const char* kAtomic = R"("allow_atomic":true,)";

TEST(BatchAnswer, SaysWhereTheLastOneIsStored) {
  const auto answer = parse_batch_answer(R"({"stream":"E","seq":120,"batch":"a.1","count":20})");
  EXPECT_EQ(answer.kind, Kind::kStored);
  EXPECT_EQ(answer.last, 120U);
  EXPECT_EQ(answer.count, 20U);
}

TEST(BatchAnswer, TellsRefusalsBeforeAnythingIsStored) {
  for (const int code : {10071, 10158, 10164, 10176, 10199, 10201, 10210})
    EXPECT_EQ(parse_batch_answer(refusal(code)).kind, Kind::kRefused) << code;
  EXPECT_EQ(parse_batch_answer(refusal(10174)).kind, Kind::kNotTaken);
}

TEST(BatchAnswer, IsUnclearWhereSomeMayBeStored) {
  EXPECT_EQ(parse_batch_answer(refusal(10077)).kind, Kind::kUnclear);
  EXPECT_EQ(parse_batch_answer("{").kind, Kind::kUnclear);
  // A server that knows no batches stores each of them, and speaks of the last one alone.
  EXPECT_EQ(parse_batch_answer(R"({"stream":"E","seq":120})").kind, Kind::kUnclear);
}

TEST(TakesBatches, WhereTheStreamAllowsThemAndTheServerSyncsThemOnce) {
  EXPECT_TRUE(*parse_takes_batches(info("2.15.2", kAtomic)));
  EXPECT_TRUE(*parse_takes_batches(info("3.0.0-RC.1", kAtomic)));
  EXPECT_FALSE(*parse_takes_batches(info("2.15.2", "")));
  EXPECT_FALSE(*parse_takes_batches(info("2.14.9", kAtomic)));
  EXPECT_FALSE(*parse_takes_batches(info("2.15.2", kAtomic, 3)));
  EXPECT_FALSE(*parse_takes_batches(R"({"config":{"name":"E"}})"));
  EXPECT_FALSE(parse_takes_batches(refusal(10059)));
}

TEST(AllowBatches, ChangesNothingElse) {
  const auto request = allow_batches_request(info("2.15.2", ""));
  ASSERT_TRUE(request);
  ASSERT_TRUE(*request);
  const auto config = parse_json(**request);
  ASSERT_TRUE(config);
  EXPECT_TRUE(config->value("allow_atomic", false));
  EXPECT_EQ(config->value("name", ""), "E");
  EXPECT_EQ(config->value("num_replicas", 0), 1);
}

TEST(AllowBatches, AsksNoServerThatDoesNotSyncThemOnce) {
  for (const std::string version : {"2.12.3", "2.14.9", ""}) {
    const auto request = allow_batches_request(info(version, ""));
    ASSERT_TRUE(request);
    EXPECT_FALSE(*request) << version;
  }
}

}  // namespace
}  // namespace toolway::bus::api
