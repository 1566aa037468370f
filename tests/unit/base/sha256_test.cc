#include "base/sha256.h"

#include <gtest/gtest.h>

namespace toolway {
namespace {

constexpr const char* kOfAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

// FIPS 180-2, appendix B.1.
TEST(Sha256, IsTheStandards) {
  EXPECT_EQ(sha256_hex("abc"), kOfAbc);
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, OfPartsIsThatOfTheWhole) {
  Sha256 hash;
  for (const char* part : {"a", "", "bc"}) hash.add(part);
  EXPECT_EQ(hash.hex(), kOfAbc);
}

TEST(Sha256, MayBeCutShort) {
  Sha256 hash;
  hash.add("abc");
  EXPECT_EQ(hash.hex(16), std::string(kOfAbc).substr(0, 32));
}

TEST(Sha256, GivesTheSameAsBytesHoweverOftenItIsAsked) {
  for (int i = 0; i < 3; ++i) {
    const auto bytes = sha256_bytes("abc");
    ASSERT_EQ(bytes.size(), Sha256::kBytes);
    EXPECT_EQ(bytes.substr(0, 4), "\xba\x78\x16\xbf");
  }
}

// RFC 4231, test case 2.
TEST(Sha256, KeysADigest) {
  const auto mac = hmac_sha256("Jefe", "what do ya want for nothing?");
  ASSERT_EQ(mac.size(), Sha256::kBytes);
  EXPECT_EQ(mac.substr(0, 4), "\x5b\xdc\xc1\x46");
}

}  // namespace
}  // namespace toolway
