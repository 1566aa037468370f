#include "tests/power_cut/cuts/machine.h"

#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "base/json.h"
#include "tests/paths.h"
#include "tests/power_cut_disk.h"

namespace toolway::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <typename Condition>
bool becomes_true(Condition condition, seconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  do {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  } while (std::chrono::steady_clock::now() < deadline);
  return false;
}

void must(bool done, const std::string& what) {
  if (!done) throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
}

dev_t device_of(const fs::path& path) {
  struct stat found{};
  must(stat(path.c_str(), &found) == 0, path.string());
  return found.st_dev;
}

/// What we mount is ours alone, and goes with us. Before any thread is started.
void leave_mounts_of_others() {
  static const bool left =
      unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  must(left, "a namespace of mounts");
}

std::unique_ptr<local::ChildProcess> started(std::vector<std::string> argv, std::string log) {
  auto child = local::ChildProcess::start({.argv = std::move(argv), .log_file = std::move(log)});
  if (!child) throw std::runtime_error(child.error().message);
  return std::move(*child);
}

/// Whether each thread of a process has stopped, ended, or waits for the disk and will stop after
/// it.
bool stands_still(int pid) {
  std::error_code ended;
  for (const auto& task : fs::directory_iterator(fmt::format("/proc/{}/task", pid), ended)) {
    const auto stat = text_of(task.path() / "stat");
    const auto name_end = stat.rfind(')');
    if (name_end == std::string::npos || name_end + 2 >= stat.size()) continue;
    if (std::string_view("TtDZX").find(stat[name_end + 2]) == std::string_view::npos) return false;
  }
  return true;
}

/// Stops every process in the namespace of pids of `first`.
/// @returns whether all stand still
bool stop_all_with(int first) {
  const auto space = [](const std::string& pid) {
    std::error_code ended;
    return fs::read_symlink("/proc/" + pid + "/ns/pid", ended);
  };
  const auto wanted = space(std::to_string(first));
  bool still = true;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const auto name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos || space(name) != wanted)
      continue;
    kill(std::stoi(name), SIGSTOP);
    still = stands_still(std::stoi(name)) && still;
  }
  return still;
}

}  // namespace

Machine::Machine() {
  leave_mounts_of_others();
  for (const char* name : {"platters", "disk"}) fs::create_directory(dir_ / name);
  disk_ = started({POWER_CUT_DISK, dir_ / "platters", dir_ / "disk"}, dir_ / "disk.log");
  const auto mounted = [&] { return device_of(dir_ / "disk") != device_of(dir_.path()); };
  must(becomes_true([&] { return mounted() || disk_->poll(); }, seconds(30)) && mounted(),
       "the disk was not mounted: " + disk_log());
}

Machine::~Machine() {
  if (dev_) cut_power();
  umount2((dir_ / "disk").c_str(), MNT_DETACH);
}

std::string Machine::start(Durability durability) {
  turn("on");
  const auto ready = dir_ / "ready.json";
  fs::remove(ready);
  dev_ = started({"unshare", "--mount", "--pid", "--fork", "--mount-proc", TOOLWAY_PROGRAM, "dev",
                  "--durability", std::string(name_of(durability)), "--data", dir_ / "disk/data",
                  "--root", TOOLWAY_SOURCE_DIR, "--http", "127.0.0.1:0", "--ready-file", ready},
                 dir_ / "dev.log");
  becomes_true([&] { return fs::exists(ready) || dev_->poll(); }, seconds(120));
  const auto said = parse_json(text_of(ready));
  return said ? said->value("http", "") : "";
}

void Machine::cut_power() {
  // unshare's child is the first process of the namespace. All others die with it, and unshare ends
  // when all are gone.
  int first = 0;
  std::ifstream(fmt::format("/proc/{0}/task/{0}/children", dev_->pid())) >> first;
  // Everything ends in one moment, as with a real cut. Else a server could, until it is killed,
  // acknowledge what the disk has just lost.
  if (first > 0)
    must(becomes_true([&] { return stop_all_with(first); }, seconds(30)),
         "a process does not stop");
  turn("off");
  if (first > 0) kill(first, SIGKILL);
  must(dev_->wait(seconds(60)).has_value(), "processes outlive the power");
  dev_.reset();
}

std::string Machine::log() const { return text_of(dir_ / "dev.log"); }
std::string Machine::disk_log() const { return text_of(dir_ / "disk.log"); }

void Machine::turn(const std::string& power) {
  must(setxattr((dir_ / "disk").c_str(), "user.power", power.data(), power.size(), 0) == 0,
       "the disk's switch");
}

}  // namespace toolway::test
