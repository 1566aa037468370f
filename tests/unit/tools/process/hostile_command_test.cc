// Commands that do their worst, in real sandboxes.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "tests/support/sanitized.h"
#include "tests/unit/tools/executors/command/command_fixture.h"
#include "tools/process/process_tree.h"

namespace toolway::test {
namespace {

using Clock = std::chrono::steady_clock;

/// Processes of this machine whose command line has `mark` in it.
std::size_t marked(const std::string& mark) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    const std::string line((std::istreambuf_iterator<char>(file)), {});
    count += line.find(mark) != std::string::npos ? 1U : 0U;
  }
  return count;
}

std::string mark_of(const char* name) { return std::string(name) + "_" + std::to_string(getpid()); }

/// A killed sandbox is gone when the call ends, but one that ended on its own is
/// cleared up by the kernel, a moment later.
bool soon_gone(const std::string& mark) {
  const auto until = Clock::now() + kPatience;
  while (marked(mark) != 0 && Clock::now() < until) std::this_thread::yield();
  return marked(mark) == 0;
}

TEST_F(CommandTest, TakesNoValueForAnOption) {
  const auto spec = spec_of(R"({"argv": ["ls", "{path}"]})", R"({"path": {"type": "string"}})");
  EXPECT_EQ(
      text_of(run(spec, {{"path", "--help"}})),
      "invalid_arguments: /path: begins with '-', and the command would take it for an option");
  const auto nul = run(spec, {{"path", std::string("/\0/etc", 6)}});
  EXPECT_EQ(
      text_of(nul),
      "invalid_arguments: /path: contains a NUL character, which a command's argument cannot contain");
  const auto glob = run(spec, {{"path", "/*"}});
  EXPECT_NE(text_of(glob).find("'/*': No such file"), std::string::npos) << text_of(glob);
  const auto marked_end =
      spec_of(R"({"argv": ["printf", "--", "{path}"]})", R"({"path": {"type": "string"}})");
  EXPECT_EQ(text_of(run(marked_end, {{"path", "--help"}})), "--help");
  const auto large = run(spec, {{"path", std::string(200'000, 'x')}});
  EXPECT_EQ(
      text_of(large),
      "invalid_arguments: argument 1 of the command has 200000 bytes; the system takes at most 131071 "
      "(large input goes to stdin)");
}

TEST_F(CommandTest, SeesNothingOfThisMachineButItsPrograms) {
  const auto mark = directory_ / "secret";
  std::ofstream(mark) << "secret";
  EXPECT_EQ(
      text_of(python(
          "import os\n"
          "for p in ['/root', '/home', '/etc/shadow', '/etc/ssl/private', '/var', '" +
          mark +
          "']:\n"
          "  print(p, os.path.exists(p))\n"
          "print(sorted(n for n in os.listdir('/') if not n.startswith('lib')), os.getuid(), os.uname().nodename)\n"
          "print(sorted(int(p) for p in os.listdir('/proc') if p.isdigit()))\n"
          "print(sorted(os.listdir('/proc/self/fd')))")),
      "/root False\n/home False\n/etc/shadow False\n/etc/ssl/private False\n/var False\n" + mark +
          " False\n"
          "['bin', 'dev', 'etc', 'proc', 'sbin', 'tmp', 'usr'] 1000 sandbox\n"
          "[1, 2]\n['0', '1', '2', '3']\n");
}

TEST_F(CommandTest, WritesNowhereButInTmp) {
  EXPECT_EQ(
      text_of(python(
          "for p in ['/x', '/usr/x', '/etc/x', '/dev/x', '/proc/sys/kernel/hostname', '/tmp/x', '/dev/shm/x']:\n"
          "  try:\n    open(p, 'w').write('x'); print(p, 'written')\n"
          "  except OSError as e: print(p, e.strerror)\n"
          "try:\n  f = open('/tmp/large', 'wb')\n  while True: f.write(bytes(1 << 20))\n"
          "except OSError as e: print(e.strerror)")),
      "/x Read-only file system\n/usr/x Read-only file system\n/etc/x Read-only file system\n/dev/x Read-only file system\n"
      "/proc/sys/kernel/hostname Permission denied\n/tmp/x written\n/dev/shm/x written\nNo space left on device\n");
}

TEST_F(CommandTest, HasNoNetworkUnlessItsProfileSaysSo) {
  const std::string program =
      "import socket\n"
      "print([name for _, name in socket.if_nameindex()] == ['lo'])\n"
      "try: socket.create_connection(('192.0.2.1', 80), 1)\n"
      "except OSError as e: print(e.strerror)\n"
      "for family in (socket.AF_VSOCK, socket.AF_ALG, socket.AF_PACKET):\n"
      "  try: socket.socket(family, socket.SOCK_DGRAM); print(family, 'open')\n"
      "  except OSError as e: print(e.strerror)\n";
  EXPECT_EQ(
      text_of(python(program)),
      "True\nNetwork is unreachable\nOperation not permitted\nOperation not permitted\nOperation not permitted\n");
  EXPECT_NE(text_of(python("import os; print(os.readlink('/proc/self/ns/net'))")),
            text_of(python("import os; print(os.readlink('/proc/self/ns/net'))",
                           R"("profile": "network")")));
  std::string ours(64, '\0');
  ours.resize(static_cast<std::size_t>(readlink("/proc/self/ns/net", ours.data(), ours.size())));
  EXPECT_EQ(text_of(python("import os; print(os.readlink('/proc/self/ns/net'), end='')",
                           R"("profile": "network")")),
            ours);
}

TEST_F(CommandTest, CannotMakeNamespacesOrTraceOthers) {
  EXPECT_EQ(
      text_of(python(
          "import ctypes, os\n"
          "libc = ctypes.CDLL(None, use_errno=True)\n"
          "calls = {'unshare user': (272, 0x10000000), 'clone user': (56, 0x10000000 | 17, 0, 0, 0, 0),\n"
          "  'ptrace': (101, 16, 1, 0, 0), 'mount': (165, 0, 0, 0, 0, 0), 'bpf': (321, 0, 0, 0), 'keyctl': (250, 0, 0),\n"
          "  'io_uring_setup': (425, 1, 0), 'perf_event_open': (298, 0, 0, 0, 0, 0), 'userfaultfd': (323, 0),\n"
          "  'TIOCSTI': (16, 0, 0x5412, 0), 'TIOCSTI, high bits': (16, 0, (1 << 32) | 0x5412, 0)}\n"
          "for name, call in calls.items():\n"
          "  result = libc.syscall(*[ctypes.c_long(n) for n in call])\n"
          "  if result == 0 and name == 'clone user': os._exit(0)\n"
          "  if result != -1 or ctypes.get_errno() != 1: print(name, result, ctypes.get_errno())\n"
          "print('done')")),
      "done\n");
}

TEST_F(CommandTest, IsKilledWhenItWritesTooMuch) {
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  for (const std::string output : {"text", "lines", "json"}) {
    auto spec = spec_of(R"({"argv": ["cat", "/dev/zero"], "output": ")" + output + "\"}");
    spec.result.max_bytes = 4 << 20;
    EXPECT_EQ(
        text_of(run(spec)),
        "result_too_large: the command wrote more than 4194304 bytes to stdout, and was killed");
  }
  auto yes = spec_of(R"({"argv": ["yes"], "max_output_bytes": 100000, "output": "lines"})");
  yes.multi_step = true;
  EXPECT_EQ(code_of(run(yes)), "result_too_large");
  const auto values = text_of(run(spec_of(
      R"({"argv": ["sh", "-c", "echo '[1'; yes ,1 | head -n 4000000; echo ']'"], "output": "json"})")));
  EXPECT_EQ(
      values.find("result_too_large: the command's output is too large: it has about 4000002"), 0U)
      << values.substr(0, 200);
  // Without end on stderr, and a small log.
  auto noisy =
      run(spec_of(R"({"argv": ["sh", "-c", "head -c 300000000 /dev/zero >&2; echo done"]})"));
  EXPECT_EQ(text_of(noisy), "done\n");
  EXPECT_LE(context_.logged().size(), 2U);
  noisy = run(spec_of(R"({"argv": ["sh", "-c", "yes | head -c 100000000 >&2; echo done"]})"));
  EXPECT_EQ(text_of(noisy), "done\n");
  EXPECT_LE(context_.logged().size(), 510U);
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, test::resident_bound(64 * 1024));
}

TEST_F(CommandTest, KeepsAForkBombToItself) {
  const auto mark = mark_of("forkbomb");
  // Every process forks forever; another sandbox of the same user still works.
  auto bomb = spec_of(
      R"({"argv": ["/usr/bin/python3", "-c", "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass", "{mark}"]})",
      R"({"mark": {"type": "string"}})");
  tools::model::LocalContext bombing;
  tools::model::Execution bombed = Json();
  std::thread other([&] {
    tools::model::ProgressTo progress({});
    bombed = tool(bomb)->run({{"mark", mark}}, bombing, progress);
  });
  const auto until = Clock::now() + kPatience;
  while (marked(mark) < 60 && Clock::now() < until) std::this_thread::yield();
  // bubblewrap's two processes bear the mark too.
  EXPECT_GE(marked(mark), 60U);
  EXPECT_LE(marked(mark), 66U);
  EXPECT_EQ(
      text_of(python(
          "import os\nfor i in range(50):\n  if os.fork() == 0: os._exit(0)\nprint('alive')")),
      "alive\n");
  EXPECT_LE(marked(mark), 66U);
  bombing.stop.request_stop();
  other.join();
  EXPECT_EQ(code_of(bombed), "cancelled");
  EXPECT_EQ(marked(mark), 0U);
}

TEST_F(CommandTest, EndsWithAllThatItStarted) {
  const auto mark = mark_of("stubborn");
  // A daemon that ignores what it can: forked twice, in a session of its own.
  const std::string program =
      "import os, signal, sys, time\n"
      "for s in range(1, 65):\n"
      "  try: signal.signal(s, signal.SIG_IGN)\n"
      "  except (OSError, ValueError): pass\n"
      "if os.fork() == 0:\n"
      "  os.setsid()\n"
      "  if os.fork() == 0: os.closerange(0, 100); time.sleep(1000)\n"
      "print('ready', flush=True)\n"
      "time.sleep(1000)";
  auto spec =
      spec_of(python_config(program, R"("output": "lines")"), R"({"mark": {"type": "string"}})");
  spec.implementation["argv"].push_back("{mark}");
  spec.multi_step = true;
  tools::model::ProgressTo progress([&, count = 0](tools::model::ProgressReport) mutable {
    if (++count == 2) context_.stop.request_stop();
  });
  const auto started = Clock::now();
  const auto result = tool(spec)->run({{"mark", mark}}, context_, progress);
  const auto took = Clock::now() - started;
  EXPECT_EQ(code_of(result), "cancelled");
  EXPECT_EQ(marked(mark), 0U);
  EXPECT_GE(took, std::chrono::milliseconds(1000));
  EXPECT_LT(took, std::chrono::seconds(5));
}

TEST_F(CommandTest, MayFinishWhenItIsToldToStop) {
  auto spec = spec_of(
      python_config("import signal, sys, time\n"
                    "def stop(*_): print('stopping', file=sys.stderr, flush=True); sys.exit(0)\n"
                    "signal.signal(15, stop)\nprint('ready', flush=True)\ntime.sleep(1000)",
                    R"("output": "lines")"));
  spec.multi_step = true;
  tools::model::ProgressTo progress(
      [&](tools::model::ProgressReport) { context_.stop.request_stop(); });
  const auto started = Clock::now();
  EXPECT_EQ(code_of(tool(spec)->run(Json::object(), context_, progress)), "cancelled");
  EXPECT_LT(Clock::now() - started, std::chrono::milliseconds(900));
  ASSERT_EQ(context_.logged().size(), 1U);
  EXPECT_EQ(context_.logged()[0].second, "stopping");
}

TEST_F(CommandTest, IsGoneWhenCancelledAtAnyTime) {
  const auto mark = mark_of("early");
  const auto spec =
      spec_of(R"({"argv": ["sleep", "1000", "{mark}"]})", R"({"mark": {"type": "string"}})");
  for (int delay = 0; delay < 12; ++delay) {
    tools::model::LocalContext context;
    tools::model::ProgressTo progress({});
    std::thread canceller([&] {
      // Some moments of a start; which ones does not matter.
      const auto until = Clock::now() + std::chrono::microseconds(delay * 700);
      while (Clock::now() < until) std::this_thread::yield();
      context.stop.request_stop();
    });
    const auto result = tool(spec)->run({{"mark", mark}}, context, progress);
    canceller.join();
    EXPECT_FALSE(result);
    EXPECT_EQ(marked(mark), 0U) << delay;
  }
}

TEST_F(CommandTest, LeavesNothingRunningWhenItEnds) {
  const auto mark = mark_of("leftover");
  auto spec = spec_of(R"({"argv": ["sh", "-c", "(sleep 1000; echo $0) & echo started", "{mark}"]})",
                      R"({"mark": {"type": "string"}})");
  EXPECT_EQ(text_of(run(spec, {{"mark", mark}})), "started\n");
  EXPECT_TRUE(soon_gone(mark));
}

TEST_F(CommandTest, CannotTakeAllMemory) {
  const auto hog = python("data = []\nwhile True: data.append(bytearray(64 << 20))");
  ASSERT_FALSE(hog);
  EXPECT_EQ(hog.error().code, "command_failed");
  EXPECT_NE(hog.error().message.find("MemoryError"), std::string::npos) << hog.error().message;
}

TEST_F(CommandTest, MustWriteUtf8) {
  EXPECT_EQ(text_of(run(R"({"argv": ["printf", "abc\\377def"]})")),
            "invalid_result: the command's output is not UTF-8: byte 0xff at 3; after \"abc\"");
  EXPECT_EQ(text_of(run(R"({"argv": ["printf", "abc\\nd\\377ef\\n"], "output": "lines"})")),
            "invalid_result: the command's output is not UTF-8: byte 0xff at 5; after \"d\"");
  const auto failed = run(R"({"argv": ["sh", "-c", "printf '\\377oh' >&2; exit 1"]})");
  EXPECT_EQ(text_of(failed), "command_failed: the command ended with exit code 1: \xef\xbf\xbdoh");
}

TEST_F(CommandTest, CannotFillTheDiskThroughItsWorkspace) {
  tools::executors::command::CommandOptions options;
  options.workspace_most = {.bytes = 8 << 20, .files = 100};
  use(std::move(options));
  const std::string workspace = R"("workspace": "session")";
  const auto filled = python(
      "import time\nfor i in range(90): open(f'{i}', 'wb').write(bytes(1 << 17))\ntime.sleep(1000)",
      workspace);
  EXPECT_EQ(code_of(filled), "workspace_full");
  // It may clear up, and not add to it.
  EXPECT_EQ(code_of(python("open('more', 'w').write('x')", workspace)), "workspace_full");
  EXPECT_EQ(code_of(python("import os\nfor f in os.listdir(): os.remove(f)", workspace)),
            "succeeded");
  EXPECT_EQ(
      code_of(python("import os\nfor i in range(300): os.mkdir('d'); os.chdir('d')", workspace)),
      "workspace_full");
  // Far over, it is emptied.
  EXPECT_EQ(text_of(python("import os; print(os.listdir())", workspace)), "[]\n");
}

}  // namespace
}  // namespace toolway::test
