#include "persistence/conversations/conversation_reads.h"

#include <gtest/gtest.h>

namespace toolway::persistence::conversations {
namespace {

postgres::SqlRow row(std::int64_t number, const std::string& body) {
  static const auto columns = std::make_shared<const std::vector<std::string>>(
      std::vector<std::string>{"number", "turn", "role", "body"});
  return {columns, {number, std::string("t"), std::string("user"), body}};
}

TEST(ConversationReads, OneRowMoreTellsThatThereAreMore) {
  EXPECT_FALSE(messages_of({row(1, "a"), row(2, "b")}, 2).more);
  const auto page = messages_of({row(1, "a"), row(2, "b"), row(3, "c")}, 2);
  EXPECT_TRUE(page.more);
  ASSERT_EQ(page.messages.size(), 2U);
  EXPECT_EQ(page.messages[1].number, 2U);
}

TEST(ConversationReads, APageThatIsFullOfBytesMayNotBeTheLast) {
  EXPECT_TRUE(messages_of({row(1, std::string(5UL << 20U, 'x'))}, 10).more);
}

TEST(ConversationReads, ANamedConversationIsLookedUpInItsSession) {
  const auto named = head_statement("s", "c'; DROP TABLE messages", Completions::kIgnored);
  EXPECT_EQ(named.sql.find("DROP"), std::string::npos);
  EXPECT_NE(named.sql.find("session_key = $1"), std::string::npos);
  EXPECT_FALSE(head_of({}));
}

}  // namespace
}  // namespace toolway::persistence::conversations
