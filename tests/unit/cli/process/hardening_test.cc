#include "cli/process/hardening.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

namespace toolway::cli::process {
namespace {

TEST(Hardening, WipesVariablesWhereTheyStandAndTakesThemOut) {
  ASSERT_EQ(setenv("HARDENING_SECRET_A", "first", 1), 0);
  ASSERT_EQ(setenv("HARDENING_KEPT", "stays", 1), 0);
  ASSERT_EQ(setenv("HARDENING_SECRET_B", "second", 1), 0);
  const char* first = std::getenv("HARDENING_SECRET_A");
  const char* second = std::getenv("HARDENING_SECRET_B");
  wipe_environment({"HARDENING_SECRET_", "HARDENING_NOT_THERE"});
  EXPECT_TRUE(std::all_of(first, first + 5, [](char c) { return c == 0; }))
      << "in place, as /proc shows it";
  EXPECT_TRUE(std::all_of(second, second + 6, [](char c) { return c == 0; }));
  EXPECT_EQ(std::getenv("HARDENING_SECRET_A"), nullptr);
  EXPECT_EQ(std::getenv("HARDENING_SECRET_B"), nullptr);
  EXPECT_STREQ(std::getenv("HARDENING_KEPT"), "stays");
  for (char** entry = environ; *entry != nullptr; ++entry)
    EXPECT_EQ(std::strstr(*entry, "HARDENING_SECRET"), nullptr);
}

std::string wiped(std::string text) {
  std::string program = "toolway";
  char* argv[] = {program.data(), text.data(), nullptr};
  wipe_passwords(2, argv);
  return text;
}

TEST(Hardening, WipesUsersAndPasswordsOfUrls) {
  EXPECT_EQ(wiped("nats://user:pass@host:4222"), "nats://xxxxxxxxx@host:4222");
  EXPECT_EQ(wiped("--nats=nats://a:b@one:1,nats://c:d@two:2"),
            "--nats=nats://xxx@one:1,nats://xxx@two:2");
  EXPECT_EQ(wiped("nats://user:p@ss@host"), "nats://xxxxxxxxx@host");
  for (const auto* plain :
       {"nats://host:4222", "http://host/path@x", "user@host", "", "://", "a://b?c=d@e"})
    EXPECT_EQ(wiped(plain), plain);
}

TEST(Hardening, LeavesNoMessageInTheListOfProcesses) {
  std::string words[] = {"toolway", "talk", "--system", "Be brief.", "my secret"};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(),
                  words[4].data()};
  wipe_messages(5, argv);
  EXPECT_EQ(words[1], "talk");
  for (int i = 2; i < 5; ++i) EXPECT_EQ(words[i].find_first_not_of('x'), std::string::npos);
  words[1] = "call";
  words[2] = "time.now";
  argv[1] = words[1].data();
  argv[2] = words[2].data();
  wipe_messages(3, argv);
  EXPECT_EQ(words[2], "time.now");
  wipe_messages(1, argv);
}

}  // namespace
}  // namespace toolway::cli::process
