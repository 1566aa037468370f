#include "base/seal_keys.h"

#include <gtest/gtest.h>

namespace toolway {
namespace {

const std::string kHex(64, 'a');

TEST(SealKeys, TakesTheFirstToSealAndFindsTheOthers) {
  const auto keys =
      SealKeys::parse("# of 2026\n\nnew " + kHex + "\r\nold\t" + std::string(64, '0'));
  ASSERT_TRUE(keys) << keys.error().message;
  EXPECT_EQ(keys->current().id, "new");
  EXPECT_EQ(keys->current().secret, std::string(32, '\xaa'));
  ASSERT_NE(keys->find("old"), nullptr);
  EXPECT_EQ(keys->find("old")->secret, std::string(32, '\0'));
  EXPECT_EQ(keys->find("other"), nullptr);
}

TEST(SealKeys, RefusesWhatIsNotAKeyByItsLineAndWithoutSayingIt) {
  const std::string secret(63, 'b');
  for (const auto& text :
       {"one " + kHex + "\ntwo " + secret, "one " + kHex + "\ntwo", "one " + kHex + "\none " + kHex,
        "one " + kHex + "\nt.o " + kHex, "one " + kHex + "\ntwo " + secret + "g"}) {
    const auto keys = SealKeys::parse(text);
    ASSERT_FALSE(keys) << text;
    EXPECT_EQ(keys.error().code, ErrorCode::kInvalidRequest);
    EXPECT_NE(keys.error().message.find("line 2 "), std::string::npos) << keys.error().message;
    EXPECT_EQ(keys.error().message.find("bbbb"), std::string::npos);
    EXPECT_EQ(keys.error().message.find("aaaa"), std::string::npos);
  }
  EXPECT_FALSE(SealKeys::parse(""));
  EXPECT_FALSE(SealKeys::parse("# nothing\n"));
}

TEST(SealKeys, MakesLinesThatAreReadAgain) {
  const auto line = SealKeys::new_line("first");
  const auto keys = SealKeys::parse(line);
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->current().id, "first");
  EXPECT_NE(line, SealKeys::new_line("first"));
}

TEST(SealKeys, DerivesAnotherKeyForEachPurpose) {
  const auto keys = SealKeys::parse("one " + kHex);
  ASSERT_TRUE(keys);
  const auto derived = SealKeys::derived(keys->current(), "audit");
  EXPECT_EQ(derived.size(), SealKeys::kKeyBytes);
  EXPECT_NE(derived, keys->current().secret);
  EXPECT_NE(derived, SealKeys::derived(keys->current(), "tokens"));
}

}  // namespace
}  // namespace toolway
