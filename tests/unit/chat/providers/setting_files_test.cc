#include "chat/providers/setting_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_dir.h"

namespace toolway::chat::providers {
namespace {

class SettingFiles : public testing::Test {
 protected:
  std::string file(const std::string& name, std::string_view text) const {
    const auto path = directory_ / name;
    std::ofstream(path) << text;
    return path;
  }
  static std::string error(const ProviderSettings& settings) {
    const auto read = with_files(settings);
    return read ? std::string() : read.error().message;
  }
  const toolway::test::TempDir directory_;
};

TEST_F(SettingFiles, HaveTheKeyThatTheEnvironmentDoesNotHave) {
  const auto read = with_files({.openai_key = "from-environment",
                                .openai_key_file = directory_ / "none",
                                .anthropic_key_file = file("key", " sk-of-file\n")});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->openai_key, "from-environment");
  EXPECT_EQ(read->anthropic_key, "sk-of-file");
  const auto configured = std::get<Configured>(*configure(*read));
  EXPECT_EQ(configured.provider, "anthropic");
  EXPECT_EQ(configured.key_name, "ANTHROPIC_API_KEY_FILE");
}

TEST_F(SettingFiles, WithoutAKeyAreRefusedAndNotShown) {
  const auto none = directory_ / "none";
  EXPECT_EQ(error({.openai_key_file = none}),
            "OPENAI_API_KEY_FILE: cannot read " + none + ": No such file or directory");
  const auto empty = file("empty", " \n");
  EXPECT_EQ(
      error({.anthropic_key_file = empty}),
      "ANTHROPIC_API_KEY_FILE: " + empty + " is empty: write the key there, and nothing else");
  const auto words = file("words", "export KEY=sk-secret");
  EXPECT_EQ(error({.openai_key_file = words}),
            "OPENAI_API_KEY_FILE: " + words +
                " has more than one word: write the key there, and nothing else");
  EXPECT_NE(error({.openai_key_file = file("large", std::string(20'000, 'x'))}), "");
  EXPECT_EQ(error({.enabled = "false", .openai_key_file = none}), "") << "it is not needed";
  EXPECT_EQ(error({.openai_key_file = none, .script = "f"}), "");
}

TEST_F(SettingFiles, SayWhatTheEnvironmentDoesNot) {
  const auto path = file("ai.yaml",
                         "provider: openai-responses\nmodel: m1\n"
                         "base_url: http://127.0.0.1:1/v1\nrequests_per_minute: 50\n"
                         "allow_addresses: [127.0.0.1, 10.0.0.0/8]\n");
  const auto read = with_files({.model = "m2", .config_file = path});
  ASSERT_TRUE(read) << read.error().message;
  const auto configured = std::get<Configured>(*configure(*read));
  EXPECT_EQ(configured.provider, "openai-responses");
  EXPECT_EQ(configured.provider_from, path + ", line 1");
  EXPECT_EQ(configured.model, "m2");
  EXPECT_EQ(configured.model_from, "TOOLWAY_AI_MODEL");
  EXPECT_EQ(configured.base_url, "http://127.0.0.1:1/v1");
  EXPECT_EQ(configured.base_url_from, path + ", line 3");
  EXPECT_EQ(configured.pace.requests, 50U);
  EXPECT_EQ(configured.allow_addresses, (std::vector<std::string>{"127.0.0.1", "10.0.0.0/8"}));
  EXPECT_EQ(error({.config_file = file("empty.yaml", "{}")}), "");
}

TEST_F(SettingFiles, WithMistakesAreRefusedByLine) {
  const auto path = file("ai.yaml", "provider: openai\nmodels: m\nrequests_per_minute: 0\n");
  const auto said = error({.config_file = path});
  EXPECT_NE(said.find(path + ":2: unknown field `models`; did you mean `model`?"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find(path + ":3: `requests_per_minute` must be"), std::string::npos) << said;
  EXPECT_NE(error({.config_file = file("key.yaml", "key: sk-secret")}), "");
  EXPECT_EQ(error({.config_file = file("key.yaml", "key: sk-secret")}).find("sk-"),
            std::string::npos);
  EXPECT_NE(error({.config_file = file("list.yaml", "- model")}).find(":1: expected"),
            std::string::npos);
  EXPECT_NE(error({.config_file = file("broken.yaml", "model: [")}), "");
  EXPECT_NE(error({.config_file = directory_ / "none"}).find("TOOLWAY_AI_CONFIG: cannot read"),
            std::string::npos);
}

TEST(Configure, SaysWhetherOnlyAKeyIsMissing) {
  const auto lacks = [](const ProviderSettings& settings) {
    return std::get<NotConfigured>(*configure(settings)).lacks_model;
  };
  EXPECT_TRUE(lacks({}));
  EXPECT_TRUE(lacks({.provider = "scripted"}));
  EXPECT_FALSE(lacks({.enabled = "false"}));
  const auto usual = std::get<Configured>(*configure({.openai_key = "k"}));
  EXPECT_EQ(usual.provider_from, "the one whose key is there");
  EXPECT_EQ(usual.model_from, "the usual one");
}

}  // namespace
}  // namespace toolway::chat::providers
