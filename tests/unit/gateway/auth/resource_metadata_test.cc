#include "gateway/auth/resource_metadata.h"

#include <gtest/gtest.h>

#include <vector>

namespace toolway::gateway::auth {
namespace {

using extensions::auth::Issuer;

wire::Problem problem(ErrorCode code, std::string challenge = {}, std::string scope = {}) {
  return {.error = Error{code, "no"}, .challenge = std::move(challenge), .scope = std::move(scope)};
}

TEST(ResourceMetadata, NamesTheResourceAndWhoseTokensAreTaken) {
  std::vector<Issuer> issuers(4);
  issuers[0].rules.issuer = "https://login.example.com/";
  issuers[1].rules.issuer = "http://127.0.0.1:9000";
  issuers[2].rules.issuer = "http://login.example.com";
  issuers[3].rules.issuer = "a team's own";
  const auto document = resource_metadata("https://tools.example.com/mcp", issuers);
  EXPECT_EQ(to_text(document),
            R"({"resource":"https://tools.example.com/mcp","authorization_servers":)"
            R"(["https://login.example.com/","http://127.0.0.1:9000"],)"
            R"("bearer_methods_supported":["header"],"resource_name":"Toolway"})");
  EXPECT_FALSE(resource_metadata("https://x/mcp", {}).contains("authorization_servers"))
      << "an empty list must not be there";
}

TEST(ResourceMetadata, AChallengeLeadsToIt) {
  auto missing = problem(ErrorCode::kUnauthenticated, "Bearer realm=\"toolway\"");
  add_challenge(missing, "https://x", "/mcp");
  EXPECT_EQ(missing.challenge,
            "Bearer realm=\"toolway\", "
            "resource_metadata=\"https://x/.well-known/oauth-protected-resource/mcp\"");
  auto denied = problem(ErrorCode::kPermissionDenied, "", "call:shop.*");
  add_challenge(denied, "https://x", "/mcp/chat");
  EXPECT_EQ(denied.challenge,
            "Bearer error=\"insufficient_scope\", scope=\"call:shop.*\", "
            "resource_metadata=\"https://x/.well-known/oauth-protected-resource/mcp/chat\"");
  auto other = problem(ErrorCode::kOverloaded);
  add_challenge(other, "https://x", "/mcp");
  EXPECT_EQ(other.challenge, "");
}

TEST(ResourceMetadata, AChallengeCannotBeLeft) {
  auto missing = problem(ErrorCode::kUnauthenticated, "Bearer");
  add_challenge(missing, "https://x", "/mcp/\"evil");
  EXPECT_EQ(missing.challenge, "Bearer");
  auto denied = problem(ErrorCode::kPermissionDenied, "", "a\" b=\"");
  add_challenge(denied, std::nullopt, "/mcp");
  EXPECT_EQ(denied.challenge, "Bearer error=\"insufficient_scope\"");
}

}  // namespace
}  // namespace toolway::gateway::auth
