#include "base/os/child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "tests/support/awaiting.h"

namespace toolway::os {
namespace {

/// What a shell prints, started with `options`.
std::string output_of(ChildOptions options, const std::string& script, ChildEnd* end = nullptr) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
  options.argv = {"/bin/sh", "-c", script};
  options.files.emplace_back(1, ends[1]);
  auto child = Child::start(options);
  ::close(ends[1]);
  std::string text;
  char piece[4096];
  for (ssize_t n = 0; (n = ::read(ends[0], piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(n));
  ::close(ends[0]);
  if (!child) return child.error().message;
  const auto ended = (*child)->wait(test::kPatience);
  if (end != nullptr && ended) *end = *ended;
  return text;
}

TEST(Child, GetsWhatItIsGivenAndNothingElse) {
  setenv("TOOLWAY_TEST_SECRET", "hidden", 1);
  const int leaked = fcntl(0, F_DUPFD, 50);  // without O_CLOEXEC
  EXPECT_EQ(
      output_of({.argv = {}, .environment = {"A=b c"}}, "/usr/bin/env | grep -v -e ^PWD= -e ^_="),
      "A=b c\n");
  // 3 is the shell's own, of the directory it reads.
  EXPECT_EQ(
      output_of({.argv = {}, .environment = {}}, "for f in /proc/$$/fd/*; do echo ${f##*/}; done"),
      "0\n1\n2\n3\n");
  EXPECT_EQ(output_of({.argv = {}, .environment = {}, .directory = "/usr"}, "pwd"), "/usr\n");
  close(leaked);
}

TEST(Child, PutsFilesWhereTheyAreWanted) {
  // Crosswise: each where the other is.
  int a[2];
  int b[2];
  ASSERT_EQ(pipe(a), 0);
  ASSERT_EQ(pipe(b), 0);
  ASSERT_EQ(write(a[1], "a\n", 2), 2);
  ASSERT_EQ(write(b[1], "b\n", 2), 2);
  EXPECT_EQ(output_of({.argv = {}, .environment = {}, .files = {{a[0], b[0]}, {b[0], a[0]}}},
                      "read x <&" + std::to_string(a[0]) + "; read y <&" + std::to_string(b[0]) +
                          "; echo $x$y"),
            "ba\n");
  for (const int file : {a[0], a[1], b[0], b[1]}) close(file);
}

TEST(Child, SaysHowItEnded) {
  ChildEnd end;
  output_of({.argv = {}, .environment = {}}, "exit 7", &end);
  EXPECT_EQ(end.status, 7);
  EXPECT_EQ(end.signal, 0);
  output_of({.argv = {}, .environment = {}}, "kill -9 $$", &end);
  EXPECT_EQ(end.signal, SIGKILL);
}

TEST(Child, IsBoundedAndAnotherUser) {
  EXPECT_EQ(
      output_of({.argv = {}, .environment = {}, .limits = {{RLIMIT_NOFILE, 20}}}, "ulimit -n"),
      "20\n");
  if (geteuid() == 0) {
    EXPECT_EQ(output_of({.argv = {}, .environment = {}, .user = 62001}, "/usr/bin/id"),
              "uid=62001 gid=62001 groups=62001\n");
    EXPECT_EQ(output_of({.argv = {}, .environment = {}, .user = ProcessUser(62001, 62002, {62003})},
                        "/usr/bin/id"),
              "uid=62001 gid=62002 groups=62002,62003\n");
  } else {
    EXPECT_FALSE(Child::start({.argv = {"/bin/true"}, .environment = {}, .user = 62001}));
  }
}

TEST(Child, CannotBeStarted) {
  const auto missing = Child::start({.argv = {"no-such-program"}, .environment = {}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().message, "cannot run 'no-such-program': No such file or directory");
  EXPECT_FALSE(Child::start({.argv = {"/bin/true"}, .environment = {}, .directory = "/no/such"}));
}

TEST(Child, IsKilledWithItsOwner) {
  pid_t pid = 0;
  {
    auto child = Child::start({.argv = {"/bin/sleep", "1000"}, .environment = {}});
    ASSERT_TRUE(child);
    pid = (*child)->pid();
    EXPECT_FALSE((*child)->wait(std::chrono::milliseconds(0)));
    EXPECT_EQ(kill(pid, 0), 0);
  }
  EXPECT_EQ(kill(pid, 0), -1);
}

TEST(Child, IsKilledWithTheThreadThatStartedIt) {
  std::unique_ptr<Child> child;
  std::thread([&] {
    child = std::move(*Child::start({.argv = {"/bin/sleep", "1000"}, .environment = {}}));
  }).join();
  const auto end = child->wait(test::kPatience);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->signal, SIGKILL);
}

TEST(Child, OutlivesTheThreadThatStartedItWhenAsked) {
  std::unique_ptr<Child> child;
  std::thread([&] {
    child = std::move(
        *Child::start({.argv = {"/bin/sleep", "1000"}, .environment = {}, .death_signal = 0}));
  }).join();
  EXPECT_FALSE(child->wait(std::chrono::milliseconds(100)));
}

TEST(Child, MayInspectOthersOnlyWhenAllowed) {
  // CAP_SYS_PTRACE is bit 19 of the capabilities that a process may ever have.
  const std::string script = "sed -n 's/^CapBnd:.*\\(.....\\)$/\\1/p' /proc/self/status";
  const auto may = [&](bool may_inspect) {
    const auto set = output_of(
        {.argv = {}, .environment = {"PATH=/usr/bin:/bin"}, .may_inspect = may_inspect}, script);
    return (std::stoul(set, nullptr, 16) & (1UL << 19)) != 0;
  };
  // Only root can give it up; then it is gone for good, so the parent's own set decides the rest.
  EXPECT_EQ(may(false), geteuid() != 0 && may(true));
  if (geteuid() == 0) {
    EXPECT_TRUE(may(true));
  }
}

}  // namespace
}  // namespace toolway::os
