#include "base/base64.h"

#include <gtest/gtest.h>

namespace toolway {
namespace {

TEST(Base64, PadsWhatIsNotAMultipleOfThreeBytes) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

}  // namespace
}  // namespace toolway
