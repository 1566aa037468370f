#include "base/os/child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <thread>

#include "base/os/own_domain.h"
#include "tests/support/awaiting.h"
#include "tests/support/child_output.h"

namespace toolway::os {
namespace {

using test::output_of;

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

/// Runs `task` in a thread that is refused Landlock with `error`, as containers may refuse it.
template <typename Task>
void without_landlock(int error, Task task) {
  std::thread([&] {
    sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{.len = std::size(rules), .filter = rules};
    ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
    task();
  }).join();
}

// What it does where there are domains: tests/landlock.
TEST(Child, StartsWithoutADomainOfItsOwnWhereThereIsNone) {
  for (const int error : {ENOSYS, EOPNOTSUPP, EPERM}) {
    without_landlock(error, [&] {
      EXPECT_EQ(output_of({.argv = {}, .environment = {}, .in_own_domain = true}, "echo ran"),
                "ran\n");
      EXPECT_EQ(why_no_own_domain(), error);
    });
  }
}

TEST(Child, IsNotStartedWithoutADomainBecauseMemoryIsShort) {
  without_landlock(ENOMEM, [] {
    const auto child =
        Child::start({.argv = {"/bin/true"}, .environment = {}, .in_own_domain = true});
    ASSERT_FALSE(child);
    EXPECT_EQ(child.error().code, ErrorCode::kOverloaded);
  });
}

}  // namespace
}  // namespace toolway::os
