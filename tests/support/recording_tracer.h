#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "monitoring/tracer.h"
#include "tests/support/awaiting.h"

namespace toolway::test {

/// Keeps every span, all of them sampled unless the client says otherwise. Thread-safe.
class RecordingTracer final : public monitoring::Tracer {
 public:
  /// What becomes of work that comes without a trace.
  enum class Chance { kAlways, kNever };
  explicit RecordingTracer(Chance chance = Chance::kAlways) : chance_(chance) {}

  TraceContext start(const TraceContext& parent) override {
    if (parent.valid()) return parent.sampled ? parent.child() : parent;
    return chance_ == Chance::kAlways ? TraceContext::root(true) : parent;
  }
  void end(monitoring::Span span) override {
    const std::scoped_lock lock(mutex_);
    spans_.push_back(std::move(span));
    more_.notify_all();
  }
  std::vector<monitoring::Span> spans() const {
    const std::scoped_lock lock(mutex_);
    return spans_;
  }
  /// All spans, once there are `count` of this name. The test fails when they do not come.
  std::vector<monitoring::Span> wait_for(std::string_view name, std::size_t count = 1) const {
    std::unique_lock lock(mutex_);
    const auto there = [&] {
      return static_cast<std::size_t>(
                 std::count_if(spans_.begin(), spans_.end(),
                               [&](const auto& span) { return span.name == name; })) >= count;
    };
    EXPECT_TRUE(more_.wait_for(lock, kPatience, there)) << "no span " << name;
    return spans_;
  }

 private:
  const Chance chance_;
  mutable std::mutex mutex_;
  mutable std::condition_variable more_;
  std::vector<monitoring::Span> spans_;  // under mutex_
};

/// The first span of this name; an empty one, and the test fails, when there is none.
inline monitoring::Span span_named(const std::vector<monitoring::Span>& spans,
                                   std::string_view name) {
  for (const auto& span : spans) {
    if (span.name == name) return span;
  }
  ADD_FAILURE() << "no span " << name;
  return {};
}

/// A text that a span says; empty when it does not.
inline std::string text_of(const monitoring::Span& span, std::string_view key) {
  for (const auto& attribute : span.attributes) {
    const auto* text = attribute.key == key ? std::get_if<std::string>(&attribute.value) : nullptr;
    if (text != nullptr) return *text;
  }
  return {};
}

inline std::int64_t number_of(const monitoring::Span& span, std::string_view key) {
  for (const auto& attribute : span.attributes) {
    const auto* number =
        attribute.key == key ? std::get_if<std::int64_t>(&attribute.value) : nullptr;
    if (number != nullptr) return *number;
  }
  return 0;
}

inline void expect_below(const monitoring::Span& span, const TraceContext& parent) {
  EXPECT_EQ(span.parent.span_id_hex(), parent.span_id_hex()) << span.name;
  EXPECT_EQ(span.context.trace_id_hex(), parent.trace_id_hex()) << span.name;
  EXPECT_NE(span.context.span_id_hex(), parent.span_id_hex()) << span.name;
  EXPECT_LE(span.start, span.end) << span.name;
}

}  // namespace toolway::test
