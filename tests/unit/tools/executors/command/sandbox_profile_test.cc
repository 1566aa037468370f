#include "tools/executors/command/sandbox_profile.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_dir.h"

namespace toolway::tools::executors::command {
namespace {

class SandboxProfilesFile : public ::testing::Test {
 protected:
  Result<SandboxConfiguration> read(const std::string& text) {
    std::ofstream(directory_ / "sandbox.yaml") << text;
    return read_sandbox_profiles(directory_ / "sandbox.yaml");
  }
  std::string mistake(const std::string& text) {
    const auto found = read(text);
    if (found) return "none";
    return found.error().message.substr(
        found.error().message.rfind('/', found.error().message.find(".yaml")) + 1);
  }
  test::TempDir directory_;
};

TEST_F(SandboxProfilesFile, ReadsAFile) {
  const auto found = read(
      "default: tight\nprofiles:\n  tight:\n    memory_bytes: 64M\n    processes: 5\n    network: true\n"
      "    rootfs: /srv/image\n    read_only: [/srv/data, \"/srv/a:/data/a\"]\n  mine: {sandbox: none}\n");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->default_profile, "tight");
  const auto& tight = found->profiles.at("tight");
  EXPECT_EQ(tight.memory_bytes, 64U << 20);
  EXPECT_EQ(tight.processes, 5U);
  EXPECT_TRUE(tight.network);
  EXPECT_EQ(tight.rootfs, "/srv/image");
  ASSERT_EQ(tight.read_only.size(), 2U);
  EXPECT_EQ(tight.read_only[1], (std::pair<std::string, std::string>("/srv/a", "/data/a")));
  EXPECT_EQ(found->profiles.at("mine").isolation, SandboxProfile::Isolation::kNone);
  EXPECT_FALSE(found->profiles.at("default").network);
}

TEST_F(SandboxProfilesFile, SaysWhereAMistakeIs) {
  EXPECT_EQ(mistake("default: none_such\n"), "sandbox.yaml:1: there is no profile `none_such`");
  EXPECT_EQ(mistake("profiles:\n  a:\n    memory: 5\n").substr(0, 39),
            "sandbox.yaml:3: unknown field `memory`;");
  EXPECT_EQ(mistake("profiles:\n  a:\n    memory_bytes: lots\n"),
            "sandbox.yaml:3: `memory_bytes` must be a positive whole number, such as 512M");
  EXPECT_EQ(mistake("profiles:\n  a:\n    sandbox: docker\n"),
            "sandbox.yaml:3: `sandbox` must be bubblewrap or none");
  EXPECT_EQ(mistake("profiles:\n  a: {rootfs: here}\n"),
            "sandbox.yaml:2: `rootfs` must be an absolute path, and not /");
  EXPECT_EQ(mistake("profiles: [\n"), "sandbox.yaml:2: end of sequence flow not found");
  EXPECT_NE(read_sandbox_profiles(directory_ / "none").error().message.find("cannot be read"),
            std::string::npos);
}

}  // namespace
}  // namespace toolway::tools::executors::command
