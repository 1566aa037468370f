#include "base/fnv.h"

#include <gtest/gtest.h>

namespace toolway {
namespace {

// Of the test vectors of the FNV authors, 64-bit FNV-1a.
TEST(Fnv, IsTheirs) {
  EXPECT_EQ(fnv_hex(""), "cbf29ce484222325");
  EXPECT_EQ(fnv_hex("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(fnv_hex("foobar"), "85944171f73967e8");
}

TEST(Fnv, BytesAreNotSigned) { EXPECT_EQ(fnv_hex("\xff"), "af64724c8602eb6e"); }

}  // namespace
}  // namespace toolway
