#pragma once

#include <cstdio>

#include "extensions/reader/stored_policy.h"
#include "tests/integration/calls/fleet.h"

namespace toolway::test {

/// A fleet whose policy a test puts.
class PolicyFleet : public Fleet {
 protected:
  void put(const std::string& text) {
    store(extensions::reader::encode(
        {.number = ++number_, .by = "ann", .at = "2026-01-01T00:00:00Z", .text = text}));
  }
  void store(const std::string& value) {
    ASSERT_NO_FATAL_FAILURE(
        write_entry(proto::kPoliciesBucket, std::string(extensions::reader::kPolicyKey), value));
    put_at_ = std::chrono::steady_clock::now();
  }
  cli::client::HttpAnswer try_call(const Face& face, const std::string& tool,
                                   const std::string& arguments = "{}",
                                   const std::string& user = {}) {
    return ask(face, "POST", "/v1/sessions/s/calls",
               R"({"tool":")" + tool + R"(","arguments":)" + arguments + "}", {}, user);
  }
  /// In force everywhere within 2 s.
  template <typename Fact>
  void expect_soon(const char* what, Fact fact) {
    while (!fact() && std::chrono::steady_clock::now() - put_at_ < std::chrono::seconds(10))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto took = std::chrono::steady_clock::now() - put_at_;
    EXPECT_TRUE(fact()) << what;
    EXPECT_LT(took, std::chrono::seconds(2)) << what;
    std::printf("%-45s %6.1f ms\n", what, std::chrono::duration<double, std::milli>(took).count());
  }
  std::vector<std::string> names(const OrderedJson& tools) {
    std::vector<std::string> found;
    for (const auto& tool : tools) found.push_back(tool["name"]);
    return found;
  }

  std::uint64_t number_ = 0;
  std::chrono::steady_clock::time_point put_at_{};
};

}  // namespace toolway::test
