#include "cli/client/operator_client.h"

#include <gtest/gtest.h>

namespace toolway::cli::client {
namespace {

TEST(ProblemErrors, KeepTheCodeTheDetailAndEachMistake) {
  const auto error =
      error_of({422,
                R"({"code":"invalid_spec","detail":"1 mistake in specs; nothing was put",
           "errors":[{"path":"a.yaml:2","keyword":"spec","message":"unknown field `colour`"}]})"});
  EXPECT_EQ(error.code, ErrorCode::kInvalidSpec);
  EXPECT_EQ(error.message, "1 mistake in specs; nothing was put\na.yaml:2: unknown field `colour`");
  EXPECT_EQ(
      error_of({404, R"({"code":"unknown_tool","detail":"no; did you mean 'a.b'?"})"}).message,
      "no; did you mean 'a.b'?");
}

TEST(ProblemErrors, OfAMissingTokenAreThat) {
  const auto error =
      error_of({401, R"({"code":"unauthenticated","detail":"send the operator token"})"});
  EXPECT_EQ(error.code, ErrorCode::kUnauthenticated);
  EXPECT_EQ(error.message, "send the operator token");
  EXPECT_EQ(error_of({502, "<html>"}).code, ErrorCode::kBusUnavailable);
}

}  // namespace
}  // namespace toolway::cli::client
