#include "extensions/seal.h"

#include <gtest/gtest.h>

#include <set>

namespace toolway::extensions {
namespace {

using std::chrono::seconds;

class SealTest : public ::testing::Test {
 protected:
  static SealKeys keys(const std::string& lines) { return *SealKeys::parse(lines); }

  const std::string first_ = SealKeys::new_line("first");
  const std::string second_ = SealKeys::new_line("second");
  const SealKeys keys_ = keys(first_);
  const WallTime now_ = from_unix_us(1'800'000'000'000'000);
};

TEST_F(SealTest, GivesBackWhatItSealed) {
  for (const auto& content : {std::string(), std::string("a"), std::string(100'000, '\0')}) {
    const auto sealed = seal(keys_, "turn", content, now_ + seconds(1));
    const auto opened = open_sealed(keys_, "turn", sealed, now_);
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(*opened, content);
  }
}

TEST_F(SealTest, IsNeverTheSameTwice) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i)
    EXPECT_TRUE(seen.insert(seal(keys_, "turn", "content", now_)).second);
}

TEST_F(SealTest, OpensForItsPurposeAlone) {
  const auto sealed = seal(keys_, "turn", "content", now_ + seconds(1));
  EXPECT_EQ(open_sealed(keys_, "cursor", sealed, now_).error().code, ErrorCode::kUnauthenticated);
}

TEST_F(SealTest, ExpiresAtItsMoment) {
  const auto sealed = seal(keys_, "turn", "content", now_);
  EXPECT_TRUE(open_sealed(keys_, "turn", sealed, now_ - std::chrono::microseconds(1)));
  const auto late = open_sealed(keys_, "turn", sealed, now_);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().message, "it has expired");
}

TEST_F(SealTest, OpensWithAnyOfItsKeys) {
  const auto sealed = seal(keys_, "turn", "content", now_ + seconds(1));
  EXPECT_TRUE(open_sealed(keys(second_ + first_), "turn", sealed, now_));
  EXPECT_FALSE(open_sealed(keys(second_), "turn", sealed, now_));
  // Another key under the same id.
  EXPECT_FALSE(open_sealed(keys(SealKeys::new_line("first")), "turn", sealed, now_));
}

TEST_F(SealTest, NoChangedOrShortenedTextOpens) {
  const auto sealed = seal(keys_, "turn", "content", now_ + seconds(1));
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    auto changed = sealed;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(open_sealed(keys_, "turn", changed, now_)) << i;
    EXPECT_FALSE(open_sealed(keys_, "turn", sealed.substr(0, i), now_)) << i;
  }
  for (const auto* const text : {"", ".", "first", "first.", "first.AAAA", ".AAAA"})
    EXPECT_FALSE(open_sealed(keys_, "turn", text, now_)) << text;
  EXPECT_FALSE(open_sealed(keys_, "turn", sealed + "A", now_));
}

}  // namespace
}  // namespace toolway::extensions
