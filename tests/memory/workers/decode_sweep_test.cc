// An event is read while one allocation fails: every one of them in turn.
#include <gtest/gtest.h>

#include <array>
#include <new>

#include "base/ids.h"
#include "proto/codec.h"
#include "tests/memory/workers/scarce_memory.h"

namespace toolway::proto {
namespace {

using toolway::test::Watch;

/// What a variable that is not initialized holds from now on is not an address.
[[gnu::noinline]] void soil_stack() {
  std::array<unsigned char, 64 * 1024> soiled;
  for (auto& byte : soiled) *const_cast<volatile unsigned char*>(&byte) = 0x41;
}

[[gnu::noinline]] bool decoded(const std::string& bytes) {
  const Watch on;
  try {
    return decode_event(bytes).has_value();
  } catch (const std::bad_alloc&) {
    return false;
  }
}

TEST(DecodeSweep, AnEventThatCouldNotBeReadIsNotFreedTwice) {
  v1::CallEvent event;
  event.set_call_id(CallId::make(SystemClock().wall()).text());
  event.set_session_key(SessionKey::make().text());
  event.mutable_labels()->set_tool("a_tool_with_a_name_of_some_length");
  event.mutable_completed()->mutable_error()->set_message("a message of more than a few letters");
  const std::string bytes = encode(event);
  std::uint64_t failed = 0;
  for (bool read = false; !read; ++failed) {
    toolway::test::fail_allocations(failed + 1, 1);
    soil_stack();
    read = decoded(bytes);
  }
  toolway::test::fail_allocations(0, 0);
  EXPECT_GT(failed, 5U);
}

}  // namespace
}  // namespace toolway::proto
