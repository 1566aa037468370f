// What a process in a Landlock domain of its own can see, and still do. Built where the kernel has
// such domains; elsewhere it is a failed test (tests/CMakeLists.txt).
#include "base/os/own_domain.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/os/child.h"
#include "tests/support/child_output.h"
#include "tests/support/temp_dir.h"

namespace toolway::os {
namespace {

/// Prints, a line each: what it reads of the process OTHER, of its own child, and what of its work
/// it could do in the directory it is in.
constexpr const char* kWork = R"(
import os, socket, subprocess
def environ_of(pid):
    try:
        with open(f"/proc/{pid}/environ") as file:
            return file.read().replace("\0", " ").strip()
    except PermissionError:
        return "refused"
print(environ_of(os.environ["OTHER"]))
child = subprocess.Popen(["/bin/sh", "-c", "echo; read line"], env={"MARK": "child's"}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
child.stdout.readline()  # only a program that runs has an environment
print(environ_of(child.pid))
child.kill()
child.wait()
os.mkdir("a")
os.mkdir("b")
with open("a/file", "w") as file:
    file.write("written")
os.rename("a/file", "b/file")
os.link("b/file", "a/file")
print(open("a/file").read())
listening = socket.create_server(("127.0.0.1", 0))
with socket.create_connection(listening.getsockname()):
    print("connected")
)";

std::string work(bool in_own_domain) {
  const test::TempDir dir;
  auto other = Child::start({.argv = {"/bin/sleep", "600"}, .environment = {"MARK=other's"}});
  if (!other) return other.error().message;
  return test::output_of({.argv = {},
                          .environment = {"PATH=/usr/bin:/bin", std::string("WORK=") + kWork,
                                          fmt::format("OTHER={}", (*other)->pid())},
                          .directory = dir.path(),
                          .in_own_domain = in_own_domain},
                         "exec python3 -c \"$WORK\" 2>&1");
}

TEST(OwnDomain, ShowsAProcessItsChildrenAndNoOther) {
  EXPECT_EQ(why_no_own_domain(), std::nullopt);
  // Asking has put nothing of ours into one.
  EXPECT_EQ(work(false), "MARK=other's\nMARK=child's\nwritten\nconnected\n");
  EXPECT_EQ(work(true), "refused\nMARK=child's\nwritten\nconnected\n");
}

TEST(OwnDomain, GivesNoRightsBySetuidPrograms) {
  const std::string script = "sed -n 's/^NoNewPrivs:[[:space:]]*//p' /proc/self/status";
  const std::vector<std::string> path{"PATH=/usr/bin:/bin"};
  EXPECT_EQ(test::output_of({.argv = {}, .environment = path, .in_own_domain = true}, script),
            "1\n");
}

}  // namespace
}  // namespace toolway::os
