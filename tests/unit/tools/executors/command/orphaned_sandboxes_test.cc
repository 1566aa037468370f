// bubblewrap at the moments in which the end of its worker leaves a process of it.
#include "tools/executors/command/orphaned_sandboxes.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <stdexcept>

#include "tests/support/scarce.h"
#include "tests/unit/tools/executors/command/command_fixture.h"
#include "tools/executors/command/sandbox.h"

namespace toolway::test {
namespace {

using os::Child;
using os::FileDescriptor;
using tools::executors::command::Sandbox;

/// Orphans of this process are its own to wait for, as those of a worker are where a supervisor
/// says so.
class Subreaper {
 public:
  Subreaper() { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~Subreaper() { prctl(PR_SET_CHILD_SUBREAPER, 0); }
};

struct Pipe {
  os::FileDescriptor reads, writes;
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    reads.reset(ends[0]);
    writes.reset(ends[1]);
  }
};

/// A sandbox in which `cat` runs, made as a worker makes it, and as far as the test lets it come.
class HeldSandbox {
 public:
  enum class Until {
    kFirstWord,  ///< its first process waits for its parent's word to continue
    kRelease,    ///< it needs its parent no more, and waits for its worker
  };

  HeldSandbox(const Sandbox& sandbox, Until until) {
    auto launch = sandbox.prepare("", {.argv = {"cat"}, .environment = {}, .directory = "/"});
    if (!launch) throw std::runtime_error(launch.error().message);
    auto& options = launch->child;
    options.files.insert(options.files.end(), {{0, input_.reads.get()},
                                               {1, output_.writes.get()},
                                               {2, 2},
                                               {7, hold_.reads.get()},
                                               {8, said_.writes.get()}});
    if (until == Until::kFirstWord) {
      // bubblewrap's own means to stop there, not in the place of the mark, which is at the
      // beginning.
      const std::initializer_list<std::string> stop{"--userns-block-fd", "7", "--info-fd", "8"};
      options.argv.insert(std::find(options.argv.begin(), options.argv.end(), "--"), stop);
      std::erase(options.argv, "--disable-userns");  // of a later moment, and refused next to it
    }
    auto started = os::Child::start(options);
    if (!started) throw std::runtime_error(started.error().message);
    bubblewrap_ = std::move(*started);
    release_ = std::move(launch->release);
    status_ = std::move(launch->status);  // kept: bubblewrap ends when it cannot write to it
    for (auto* theirs : {&launch->status_end, &said_.writes, &output_.writes, &input_.reads})
      theirs->reset();
    first_ = number_in(until == Until::kFirstWord ? said_.reads.get() : status_.get());
    end_.reset(static_cast<int>(syscall(SYS_pidfd_open, first_, 0)));
    if (!end_) throw std::runtime_error("bubblewrap made no process");
    if (until == Until::kRelease) wait_for_its_users();
  }
  ~HeldSandbox() {
    if (!ended()) kill(first_, SIGKILL);
    bubblewrap_.reset();
    while (waitpid(first_, nullptr, 0) < 0 && errno == EINTR) continue;
  }

  /// What the kernel does to it when its worker is killed.
  void lose_bubblewrap() {
    bubblewrap_->signal(SIGKILL);
    bubblewrap_->wait(std::chrono::milliseconds::max());
  }
  /// Lets the command run, and returns when it does.
  bool run() {
    char byte = '1';
    if (write(release_.get(), &byte, 1) != 1 || write(input_.writes.get(), &byte, 1) != 1)
      return false;
    return read(output_.reads.get(), &byte, 1) == 1;
  }
  bool ended(std::chrono::milliseconds patience = {}) const {
    pollfd watched{end_.get(), POLLIN, 0};
    return poll(&watched, 1, static_cast<int>(patience.count())) == 1;
  }

 private:
  static pid_t number_in(int file) {
    std::string said;
    std::array<char, 256> piece;
    while (said.find(',') == std::string::npos) {
      pollfd watched{file, POLLIN, 0};
      poll(&watched, 1, 10'000);
      const auto length = read(file, piece.data(), piece.size());
      if (length <= 0) throw std::runtime_error("bubblewrap says nothing: " + said);
      said.append(piece.data(), static_cast<std::size_t>(length));
    }
    return std::stoi(said.substr(said.find_first_of("0123456789")));
  }

  /// The first thing that it writes after its parent's word.
  void wait_for_its_users() const {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    std::string map;
    while (map.empty() && std::chrono::steady_clock::now() < until) {
      std::ifstream file("/proc/" + std::to_string(first_) + "/uid_map");
      std::getline(file, map);
      std::this_thread::yield();
    }
    if (map.empty()) throw std::runtime_error("bubblewrap sets nothing up");
  }

  Pipe input_, output_, hold_, said_;
  std::unique_ptr<os::Child> bubblewrap_;
  os::FileDescriptor release_, status_, end_;
  pid_t first_ = 0;
};

using enum HeldSandbox::Until;

class OrphanedSandboxes : public CommandTest {
 protected:
  std::shared_ptr<const Sandbox> sandbox(const char* name = "commands") {
    auto made = Sandbox::create({.directory = directory_.path() / name});
    if (!made) throw std::runtime_error(made.error().message);
    return *made;
  }
  std::size_t kill_orphans() { return sandbox()->kill_orphans(); }

  const Subreaper subreaper_;
};

TEST_F(OrphanedSandboxes, AreKilledWhereTheyWaitForTheirParentForEver) {
  HeldSandbox held(*sandbox(), kFirstWord);
  held.lose_bubblewrap();
  ASSERT_FALSE(held.ended());
  EXPECT_EQ(kill_orphans(), 1U);
  EXPECT_TRUE(held.ended(kPatience));
  EXPECT_EQ(kill_orphans(), 0U);
}

TEST_F(OrphanedSandboxes, AreKilledWhileTheirCommandRuns) {
  HeldSandbox held(*sandbox(), kRelease);
  held.lose_bubblewrap();
  ASSERT_TRUE(held.run());
  EXPECT_EQ(kill_orphans(), 1U);
  EXPECT_TRUE(held.ended(kPatience));
}

TEST_F(OrphanedSandboxes, AreNotThoseOfAWorkerThatLives) {
  HeldSandbox waits(*sandbox(), kFirstWord);
  HeldSandbox set_up(*sandbox(), kRelease);
  HeldSandbox runs(*sandbox(), kRelease);
  ASSERT_TRUE(runs.run());
  EXPECT_EQ(kill_orphans(), 0U);
  EXPECT_FALSE(waits.ended());
  EXPECT_FALSE(set_up.ended());
  EXPECT_FALSE(runs.ended());
}

TEST_F(OrphanedSandboxes, AreNotThoseOfAnotherDirectoryOrUser) {
  HeldSandbox other(*sandbox("commands2"), kFirstWord);
  HeldSandbox ours(*sandbox(), kFirstWord);
  other.lose_bubblewrap();
  ours.lose_bubblewrap();
  EXPECT_EQ(
      tools::executors::command::kill_orphaned_sandboxes(directory_.path() / "commands", 61233),
      0U);
  EXPECT_FALSE(ours.ended());
  EXPECT_EQ(kill_orphans(), 1U);
  EXPECT_FALSE(other.ended());
}

TEST_F(OrphanedSandboxes, AreNotThoseThatCannotBeLookedAt) {
  HeldSandbox waits(*sandbox(), kFirstWord);
  const auto user = sandbox()->user().value_or(geteuid());
  for (int spare = 0; spare < 5; ++spare) {
    std::vector<int> spares;
    for (int i = 0; i < spare; ++i) spares.push_back(dup(0));
    const NoDescriptors no_others;
    for (const int file : spares) close(file);
    EXPECT_EQ(
        tools::executors::command::kill_orphaned_sandboxes(directory_.path() / "commands", user),
        0U)
        << spare;
  }
  EXPECT_FALSE(waits.ended());
  waits.lose_bubblewrap();
  EXPECT_EQ(kill_orphans(), 1U);
}

TEST_F(OrphanedSandboxes, AreKilledWhenAWorkerStarts) {
  HeldSandbox held(*sandbox(), kFirstWord);
  held.lose_bubblewrap();
  use({});
  EXPECT_TRUE(held.ended(kPatience));
}

TEST_F(OrphanedSandboxes, AreKilledWhenAWorkerTidies) {
  HeldSandbox held(*sandbox(), kFirstWord);
  held.lose_bubblewrap();
  EXPECT_EQ(kind_->tidy(), "killed orphaned sandboxes: 1");
  EXPECT_TRUE(held.ended(kPatience));
  EXPECT_EQ(kind_->tidy(), "");
}

}  // namespace
}  // namespace toolway::test
