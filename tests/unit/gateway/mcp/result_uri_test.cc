#include "gateway/mcp/result_uri.h"

#include <gtest/gtest.h>

#include "base/ids.h"

namespace toolway::gateway::mcp {
namespace {

TEST(ResultUri, NamesOneCall) {
  const auto id = CallId::make(WallTime()).text();
  EXPECT_EQ(result_uri(id), "toolway://calls/" + id + "/result");
  EXPECT_EQ(call_of_result(result_uri(id)), id);
}

TEST(ResultUri, AnythingElseIsNotOne) {
  const auto id = CallId::make(WallTime()).text();
  for (const auto& uri :
       {std::string(), std::string("toolway://calls/result"),
        std::string("toolway://calls//result"), std::string("toolway://calls/x/result"),
        result_uri("{call_id}"), result_uri(id) + "/", "x" + result_uri(id),
        result_uri(id + "/" + id), result_uri(std::string(100'000, 'a'))})
    EXPECT_EQ(call_of_result(uri), std::nullopt) << uri.substr(0, 200);
}

}  // namespace
}  // namespace toolway::gateway::mcp
