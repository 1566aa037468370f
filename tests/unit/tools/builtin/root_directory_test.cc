#include "tools/builtin/root_directory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/unit/tools/builtin/file_tree.h"
#include "tools/builtin/file_reader.h"

namespace toolway::tools::builtin {
namespace {

/// Both ways of keeping paths inside are held to the same.
class RootDirectories : public testing::TestWithParam<Confinement> {
 protected:
  void SetUp() override {
    std::ofstream(tree_.base() / "secret.txt") << "secret";
    tree_.write("a.txt", "A");
    tree_.write("sub/deep/b.txt", "B");
    auto root = RootDirectory::open(tree_.root(), GetParam());
    ASSERT_TRUE(root) << root.error().message;
    root_ = *root;
  }

  std::string file(const std::string& path) const {
    auto opened = root_->open_file(path);
    if (!opened) return std::string(code_name(opened.error().code));
    return *read_at(*opened, 0, 100);
  }
  std::string directory(const std::string& path) const {
    auto opened = root_->open_directory(path);
    return opened ? "open" : std::string(code_name(opened.error().code));
  }

  FileTree tree_;
  std::shared_ptr<const RootDirectory> root_;
};

TEST_P(RootDirectories, OpensWhatIsInside) {
  EXPECT_EQ(file("a.txt"), "A");
  EXPECT_EQ(file("./a.txt"), "A");
  EXPECT_EQ(file("sub//deep/b.txt"), "B");
  EXPECT_EQ(file("sub/../a.txt"), "A");
  EXPECT_EQ(directory("."), "open");
  EXPECT_EQ(directory("sub/deep/"), "open");
  EXPECT_EQ(directory("sub/.."), "open");
}

TEST_P(RootDirectories, RefusesPathsThatLeave) {
  for (const std::string path : {"../secret.txt", "sub/../../secret.txt", "..", "../root/a.txt",
                                 "sub/deep/../../../secret.txt"}) {
    EXPECT_EQ(file(path), "permission_denied") << path;
  }
  EXPECT_EQ(file((tree_.base() / "secret.txt").string()), "permission_denied");
  EXPECT_EQ(file((tree_.root() / "a.txt").string()), "permission_denied");  // absolute, even inside
  EXPECT_EQ(file("/etc/passwd"), "permission_denied");
  EXPECT_EQ(directory(".."), "permission_denied");
  EXPECT_EQ(directory("/"), "permission_denied");
}

TEST_P(RootDirectories, RefusesSymlinksThatLeave) {
  tree_.link("../secret.txt", "up");
  tree_.link((tree_.base() / "secret.txt").string(), "absolute");
  tree_.link("..", "parent");
  tree_.link("/proc/self/root", "magic");
  tree_.link("up", "chain");
  for (const char* path :
       {"up", "absolute", "parent/secret.txt", "chain", "magic/etc/passwd", "sub/../up"}) {
    EXPECT_EQ(file(path), "permission_denied") << path;
  }
  EXPECT_EQ(directory("parent"), "permission_denied");
}

TEST_P(RootDirectories, RefusesSymlinkLoops) {
  tree_.link("loop2", "loop1");
  tree_.link("loop1", "loop2");
  tree_.link(".", "here");
  EXPECT_EQ(file("loop1"), "permission_denied");
  EXPECT_EQ(file("loop1/a.txt"), "permission_denied");
  EXPECT_EQ(directory("loop1"), "permission_denied");
}

TEST_P(RootDirectories, RefusesNulBytesAndEmptyPaths) {
  EXPECT_EQ(file(std::string("a.txt\0.png", 10)), "invalid_arguments");
  EXPECT_EQ(file(std::string("\0", 1)), "invalid_arguments");
  EXPECT_EQ(file(""), "invalid_arguments");
  EXPECT_EQ(directory(""), "invalid_arguments");
}

TEST_P(RootDirectories, NeitherWaitsForNorReadsSpecialFiles) {
  ASSERT_EQ(::mkfifo((tree_.root() / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(file("fifo"), "invalid_arguments");  // and returns at once
  EXPECT_EQ(directory("fifo"), "invalid_arguments");
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto path = (tree_.root() / "socket").string();
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(file("socket"), "invalid_arguments");
  ::close(socket);
  auto devices = RootDirectory::open("/dev", GetParam());
  ASSERT_TRUE(devices);
  const auto zero = (*devices)->open_file("zero");
  ASSERT_FALSE(zero);
  EXPECT_EQ(zero.error().code, ErrorCode::kInvalidArguments);
}

TEST_P(RootDirectories, SaysWhatIsWrong) {
  EXPECT_EQ(file("none"), "not_found");
  EXPECT_EQ(file("none/a.txt"), "not_found");
  EXPECT_EQ(file("sub"), "invalid_arguments");      // a directory
  EXPECT_EQ(file("a.txt/b"), "invalid_arguments");  // no directory
  EXPECT_EQ(directory("a.txt"), "invalid_arguments");
  EXPECT_EQ(file(std::string(5000, 'x')), "invalid_arguments");
  const auto error = root_->open_file("../secret.txt").error().message;
  EXPECT_EQ(error, "path \"../secret.txt\" leaves the root directory");
}

TEST_P(RootDirectories, IsNotRacedByARename) {
  std::filesystem::create_directories(tree_.base() / "outside/deep");
  std::ofstream(tree_.base() / "outside/deep/b.txt") << "secret";
  tree_.link("../outside", "swap");
  std::atomic<bool> stop{false};
  std::atomic<int> swaps{0};
  // Exchanges a directory and a symlink to the outside as fast as it can.
  std::jthread attacker([&] {
    const auto a = (tree_.root() / "sub").string();
    const auto b = (tree_.root() / "swap").string();
    while (!stop) {
      if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) ++swaps;
    }
  });
  bool escaped = false;
  for (int i = 0; !escaped && (i < 3000 || swaps < 100); ++i)
    escaped = file("sub/deep/b.txt") == "secret";
  stop = true;
  EXPECT_FALSE(escaped);
}

INSTANTIATE_TEST_SUITE_P(Both, RootDirectories,
                         testing::Values(Confinement::kKernel, Confinement::kStepByStep),
                         [](const auto& param) {
                           return param.param == Confinement::kKernel ? "Kernel" : "StepByStep";
                         });

TEST(RootDirectory, FollowsSymlinksThatStayInsideWhereTheKernelResolves) {
  FileTree tree;
  tree.write("a.txt", "A");
  tree.link("a.txt", "inside");
  const auto kernel = RootDirectory::open(tree.root(), Confinement::kKernel);
  EXPECT_TRUE((*kernel)->open_file("inside"));
  const auto steps = RootDirectory::open(tree.root(), Confinement::kStepByStep);
  const auto refused = (*steps)->open_file("inside");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
}

TEST(RootDirectory, MustBeADirectory) {
  FileTree tree;
  tree.write("file", "");
  for (const auto& path : {tree.root() / "none", tree.root() / "file"}) {
    const auto root = RootDirectory::open(path);
    ASSERT_FALSE(root);
    EXPECT_EQ(root.error().code, ErrorCode::kNotFound);
  }
}

}  // namespace
}  // namespace toolway::tools::builtin
