#include "cli/bench/load/call_texts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace toolway::cli::bench::load {
namespace {

TEST(CallTexts, SortsFollowEachOtherByTheirWeights) {
  scenario::LoadGroup group;
  group.calls = {{.weight = 3}, {.weight = 1, .progress = 2}};
  CallTexts texts(group, [](const std::string&) { return OrderedJson(); });
  std::map<std::size_t, int> counts;
  for (int i = 0; i < 400; ++i) ++counts[texts.next()];
  EXPECT_EQ(counts[0], 300);
  EXPECT_EQ(counts[1], 100);
  EXPECT_NE(texts.body(0).find("bench.echo"), std::string::npos);
  EXPECT_NE(texts.body(1).find("bench.stream"), std::string::npos);
  EXPECT_EQ(texts.ending(0),
            fmt::format("Content-Length: {}\r\n\r\n{}", texts.body(0).size(), texts.body(0)));
  group.batch = 3;
  CallTexts batches(group, [](const std::string&) { return OrderedJson(); });
  EXPECT_EQ(parse_json(batches.body(0))->at("calls").size(), 3U);
}

TEST(CallTexts, WhatIsNotIdempotentCallsTheToolThatRunsOnce) {
  const auto call = CallTexts::own_call({.wait_ms = 30, .idempotent = false});
  EXPECT_EQ(call["tool"], "bench.work_once");
  EXPECT_EQ(call["arguments"]["wait_ms"], 30);
  EXPECT_EQ(CallTexts::own_call({.idempotent = false})["tool"], "bench.work_once");
  EXPECT_EQ(CallTexts::own_call({.wait_ms = 30})["tool"], "bench.work");
}

}  // namespace
}  // namespace toolway::cli::bench::load
