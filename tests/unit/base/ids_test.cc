#include "base/ids.h"

#include <gtest/gtest.h>
#include "base/stored_session_id.h"

#include <set>
#include <string>
#include <thread>
#include <vector>

namespace toolway {
namespace {

TEST(Ids, CallIdsAreUuidsOfVersion7InOrderOfTime) {
  const WallTime now = from_unix_us(1763668800123456);
  const CallId id = CallId::make(now);
  ASSERT_EQ(id.text().size(), CallId::kLength);
  EXPECT_EQ(id.text()[14], '7');
  EXPECT_NE(std::string("89ab").find(id.text()[19]), std::string::npos);
  EXPECT_EQ(to_unix_us(id.made_at()), 1763668800123000);
  EXPECT_LT(id, CallId::make(now + std::chrono::milliseconds(1)));
  const auto parsed = CallId::parse(id.text());
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, id);
}

TEST(Ids, CallIdsDoNotRepeat) {
  std::set<CallId> seen;
  for (int i = 0; i < 10000; ++i) seen.insert(CallId::make(from_unix_us(0)));
  EXPECT_EQ(seen.size(), 10000U);
}

TEST(Ids, RefusesWhatIsNotACallId) {
  for (const char* text :
       {"", "x", "0198f000-0000-4000-8000-000000000000", "0198F000-0000-7000-8000-000000000000",
        "0198f000-0000-7000-8000-00000000000", "0198f000-0000-7000-8000-0000000000000",
        "0198f000.0000-7000-8000-000000000000", "0198f000-0000-7000-8000-00000000000*"}) {
    EXPECT_FALSE(CallId::parse(text)) << text;
  }
}

TEST(Ids, AShardIsTheFirstTwelveBits) {
  const auto key = SessionKey::parse("a3f00000000000000000000000000001");
  ASSERT_TRUE(key);
  EXPECT_EQ(key->shard(), "a3f");
  EXPECT_EQ(key->shard_number(), 0xa3fU);
  EXPECT_NE(SessionKey::make(), SessionKey::make());
  EXPECT_FALSE(SessionKey::parse("A3f00000000000000000000000000001"));
  EXPECT_FALSE(SessionKey::parse("a3f"));
}

TEST(Ids, SessionIdsMayHoldOnlyWhatIsHarmless) {
  EXPECT_TRUE(valid_session_id("user@example.com:chat-1_a"));
  EXPECT_TRUE(valid_session_id(std::string(128, 'a')));
  for (const std::string& text :
       {std::string(), std::string(129, 'a'), std::string("a b"), std::string("a*"),
        std::string("a>"), std::string("a/b"), std::string("a\r\nPUB x"), std::string("\xc3\xa9"),
        std::string("a\0b", 3), std::string("."), std::string("..")}) {
    EXPECT_FALSE(valid_session_id(text)) << text;
  }
}

TEST(Ids, SessionsOfEarlierVersionsMayHaveIdsThatPathsLose) {
  EXPECT_TRUE(valid_session_id("..."));
  EXPECT_TRUE(may_be_stored_session_id("."));
  EXPECT_TRUE(may_be_stored_session_id(".."));
  EXPECT_FALSE(may_be_stored_session_id("a/b"));
}

TEST(Ids, OpaqueTextIsUtf8WithoutControlCharacters) {
  EXPECT_TRUE(valid_opaque("tool call \xc3\xa9 *>/"));
  EXPECT_TRUE(valid_opaque(std::string(255, 'x')));
  EXPECT_FALSE(valid_opaque(""));
  EXPECT_FALSE(valid_opaque(std::string(256, 'x')));
  EXPECT_FALSE(valid_opaque("a\nb"));
  EXPECT_FALSE(valid_opaque("\xff"));
}

TEST(Ids, NamesAreWords) {
  EXPECT_TRUE(valid_name("get_current-time2"));
  EXPECT_FALSE(valid_name(""));
  EXPECT_FALSE(valid_name("a.b"));
  EXPECT_FALSE(valid_name(std::string(65, 'a')));
}

TEST(Ids, RandomBytesAreGivenOutOnce) {
  // Of sizes that do not divide what is asked of the kernel at once, larger ones among them, on
  // several threads.
  constexpr std::size_t kSizes[] = {8, 16, 10, 37, 600};
  std::vector<std::set<std::string>> given(4);
  std::vector<std::jthread> threads;
  for (auto& of_thread : given) {
    threads.emplace_back([&of_thread, &kSizes] {
      for (int i = 0; i < 2000; ++i) {
        std::string bytes(kSizes[i % std::size(kSizes)], '\0');
        random_bytes(bytes.data(), bytes.size());
        for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8)
          of_thread.insert(bytes.substr(at, 8));
      }
    });
  }
  threads.clear();
  std::set<std::string> all;
  for (auto& of_thread : given) all.merge(of_thread);
  EXPECT_EQ(all.size(), 4U * 400 * (1 + 2 + 1 + 4 + 75));
}

}  // namespace
}  // namespace toolway
