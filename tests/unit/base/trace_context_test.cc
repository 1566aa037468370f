#include "base/trace_context.h"

#include <gtest/gtest.h>

namespace toolway {
namespace {

constexpr std::string_view kGiven = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(TraceContext, IsReadAndWrittenAlike) {
  const auto context = parse_trace_context(kGiven, "rojo=00f067aa0ba902b7");
  ASSERT_TRUE(context.valid());
  EXPECT_TRUE(context.sampled);
  EXPECT_EQ(context.traceparent(), kGiven);
  EXPECT_EQ(context.trace_id_hex(), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(context.state, "rojo=00f067aa0ba902b7");
}

TEST(TraceContext, RefusesWhatIsMalformed) {
  for (const std::string_view bad :
       {"", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
        "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g"}) {
    EXPECT_FALSE(parse_trace_context(bad).valid()) << bad;
    EXPECT_EQ(parse_trace_context(bad).traceparent(), "");
  }
}

TEST(TraceContext, ReadsALaterVersionAsFarAsItKnows) {
  const auto later =
      parse_trace_context("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more");
  EXPECT_EQ(later.traceparent(), kGiven);
}

TEST(TraceContext, LeavesOutAStateThatIsTooLongOrNotPrintable) {
  EXPECT_EQ(parse_trace_context(kGiven, std::string(513, 'a')).state, "");
  EXPECT_EQ(parse_trace_context(kGiven, "a=\r\nb").state, "");
}

TEST(TraceContext, AChildIsOfTheSameTraceAndAnotherSpan) {
  const auto root = TraceContext::root(true);
  const auto child = root.child();
  EXPECT_TRUE(root.valid());
  EXPECT_EQ(child.trace_id, root.trace_id);
  EXPECT_NE(child.span_id, root.span_id);
  EXPECT_NE(TraceContext::root(true).trace_id, root.trace_id);
  EXPECT_TRUE(child.sampled);
}

}  // namespace
}  // namespace toolway
