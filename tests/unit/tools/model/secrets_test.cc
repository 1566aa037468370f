#include "tools/model/secrets.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_dir.h"

namespace toolway::tools::model {
namespace {

class SecretsTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(directory_.path() / name, std::ios::binary) << text;
  }
  test::TempDir directory_;
};

TEST_F(SecretsTest, PrefersAFileToTheEnvironment) {
  write("TOKEN", "from a file\n");
  const Secrets secrets(directory_.path(), {{"TOKEN", "from the environment"}, {"OTHER", "o"}});
  EXPECT_EQ(secrets.find("TOKEN"), "from a file");
  EXPECT_EQ(secrets.find("OTHER"), "o");
  EXPECT_EQ(secrets.find("THIRD"), std::nullopt);
}

TEST_F(SecretsTest, ReadsARotatedFileAgain) {
  const Secrets secrets(directory_.path());
  write("TOKEN", "old");
  EXPECT_EQ(secrets.find("TOKEN"), "old");
  write("TOKEN", "new\r\n");
  EXPECT_EQ(secrets.find("TOKEN"), "new");
}

TEST_F(SecretsTest, TakesNoNameThatLeavesTheDirectory) {
  write("TOKEN", "t");
  const Secrets secrets(directory_.path() / "inside", {{"../TOKEN", "t"}});
  for (const char* name : {"../TOKEN", "", ".", "a/b", "a b", "\xc3\xa4"})
    EXPECT_EQ(secrets.find(name), std::nullopt) << name;
  EXPECT_FALSE(valid_secret_name(std::string(65, 'a')));
  EXPECT_TRUE(valid_secret_name(std::string(64, 'a')));
}

TEST_F(SecretsTest, HasNothingForAFileThatCannotBeOne) {
  write("LARGE", std::string(64 * 1024 + 1, 'x'));
  write("BINARY", std::string("a\0b", 3));
  const Secrets secrets(directory_.path());
  EXPECT_EQ(secrets.find("LARGE"), std::nullopt);
  EXPECT_EQ(secrets.find("BINARY"), std::nullopt);
}

}  // namespace
}  // namespace toolway::tools::model
