#include "gateway/operators/operator_identity.h"

#include <gtest/gtest.h>

namespace toolway::gateway::operators {
namespace {

wire::Caller with_key() {
  return {.tenant_id = "acme", .user_id = "op", .key_id = "k1", .method = "key"};
}
wire::Caller with_the_token() {
  return {.user_id = "operator", .method = std::string(extensions::kByOperator)};
}

TEST(OperatorIdentity, IsTheCallersWhateverTheRequestSays) {
  persistence::specs::SpecAuthor author{.who = "ap1", .note = "n"};
  identify(author, with_key());
  EXPECT_EQ(author.who, "ap1") << "the history keeps what it says";
  ASSERT_TRUE(author.caller);
  EXPECT_EQ(author.caller->tenant_id, "acme");
  EXPECT_EQ(author.caller->user_id, "op");
  EXPECT_EQ(author.caller->method, "key");
  EXPECT_EQ(author.caller->key_id, "k1");
  EXPECT_EQ(name_of(with_key(), ""), "op");
}

TEST(OperatorIdentity, IsWhatTheRequestSaysWhereManyHaveTheToken) {
  persistence::specs::SpecAuthor author{.who = "ap1", .note = {}};
  identify(author, with_the_token());
  EXPECT_EQ(author.who, "ap1");
  EXPECT_FALSE(author.caller);
  EXPECT_EQ(name_of(with_the_token(), ""), "operator");
}

}  // namespace
}  // namespace toolway::gateway::operators
