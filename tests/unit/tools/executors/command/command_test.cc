// Commands that behave, in real sandboxes.
#include <fstream>

#include "tests/unit/tools/executors/command/command_fixture.h"

namespace toolway::test {
namespace {

using tools::executors::command::SandboxMechanism;

TEST_F(CommandTest, RunsAndReturnsItsOutput) {
  auto spec = spec_of(R"({"argv": ["printf", "%s|%s", "{text}", "--times={n}"]})",
                      R"({"text": {"type": "string"}, "n": {"type": "integer"}})");
  EXPECT_EQ(text_of(run(spec, {{"text", "grüße; rm -rf / *\n$(id)"}, {"n", 3}})),
            "grüße; rm -rf / *\n$(id)|--times=3");
}

TEST_F(CommandTest, SaysAtStartWhatIsActive) {
  EXPECT_EQ(kind_->status().describe(),
            "sandbox for commands: namespaces unprivileged seccomp process_limit active");
}

TEST_F(CommandTest, GetsStdinWithoutWaitingForIt) {
  auto spec = spec_of(R"({"argv": ["cat"], "stdin": "{text}"})", R"({"text": {"type": "string"}})");
  const std::string large(3'000'000, 'x');
  EXPECT_EQ(text_of(run(spec, {{"text", large}})), large);
  // No one reads it.
  spec.implementation["argv"] = {"true"};
  EXPECT_EQ(text_of(run(spec, {{"text", large}})), "");
  EXPECT_EQ(text_of(run(R"({"argv": ["cat"]})")), "");
}

TEST_F(CommandTest, GetsItsEnvironmentAndNothingOfOurs) {
  setenv("TOOLWAY_TEST_SECRET", "hidden", 1);
  context_.session = "s 1";
  context_.user = "u";
  context_.call = "c";
  EXPECT_EQ(
      text_of(run(R"({"argv": ["/usr/bin/env"], "env": {"NAME": "a=b", "HOME": "/tmp/x"}})")),
      "PATH=/usr/local/bin:/usr/bin:/bin\nTMPDIR=/tmp\nLANG=C.UTF-8\nTOOLWAY_SESSION_ID=s 1\nTOOLWAY_USER_ID=u\n"
      "TOOLWAY_CALL_ID=c\nTOOLWAY_ATTEMPT=1\nTOOLWAY_IDEMPOTENCY_KEY=c\nNAME=a=b\nHOME=/tmp/x\nPWD=/tmp\n");
}

TEST_F(CommandTest, GetsTheSpanThatItRunsIn) {
  const auto spec = spec_of(R"({"argv": ["/usr/bin/env"]})");
  EXPECT_EQ(text_of(run(spec)).find("TRACE"), std::string::npos);
  context_.span = TraceContext::root(true);
  EXPECT_NE(text_of(run(spec)).find("\nTRACEPARENT=" + context_.span.traceparent() + "\n"),
            std::string::npos);
  EXPECT_EQ(text_of(run(spec)).find("TRACESTATE"), std::string::npos);
  context_.span.state = "vendor=a b";
  EXPECT_NE(text_of(run(spec)).find("\nTRACESTATE=vendor=a b\n"), std::string::npos);
  const auto own = text_of(run(R"({"argv": ["/usr/bin/env"], "env": {"TRACEPARENT": "mine"}})"));
  EXPECT_NE(own.find("\nTRACEPARENT=mine\n"), std::string::npos) << own;
  EXPECT_EQ(own.find(context_.span.trace_id_hex()), std::string::npos) << own;
}

TEST_F(CommandTest, ParsesJson) {
  EXPECT_EQ(text_of(run(R"({"argv": ["echo", "{{\"a\": [1, 2]}}"], "output": "json"})")),
            R"({"a":[1,2]})");
  const auto bad = run(R"({"argv": ["echo", "{{\"a\": [1, 2}}"], "output": "json"})");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, "invalid_result");
  EXPECT_NE(bad.error().message.find("it begins with: {\"a\": [1, 2}"), std::string::npos)
      << bad.error().message;
}

TEST_F(CommandTest, ReportsLinesAsTheyCome) {
  auto spec = spec_of(R"({"argv": ["printf", "one\\ntwo\\n\\nend"], "output": "lines"})");
  EXPECT_EQ(text_of(run(spec)), R"(["one","two","","end"])");
  EXPECT_TRUE(reports_.empty());
  spec.multi_step = true;
  EXPECT_EQ(text_of(run(spec)), R"({"exit_code":0,"lines":4})");
  ASSERT_EQ(reports_.size(), 4U);
  EXPECT_EQ(reports_[1].data, "two");
  EXPECT_EQ(reports_[3].progress, 4);
}

TEST_F(CommandTest, FailsWithItsExitCodeAndStderr) {
  const auto failed =
      python("import sys; print('half'); print('no luck', file=sys.stderr); sys.exit(3)");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, "command_failed");
  EXPECT_EQ(failed.error().message, "the command ended with exit code 3: no luck");
  EXPECT_EQ(failed.error().details,
            Json({{"exit_code", 3}, {"stderr", "no luck"}, {"stdout", "half\n"}}));
  ASSERT_EQ(context_.logged().size(), 1U);
  EXPECT_EQ(context_.logged()[0].second, "no luck");

  const auto killed = python("import os; os.kill(os.getpid(), 11)");
  ASSERT_FALSE(killed);
  EXPECT_EQ(killed.error().message, "the command ended with exit code 139 (signal SIGSEGV)");
}

TEST_F(CommandTest, MapsExitCodes) {
  auto spec = spec_of(R"({"argv": ["sh", "-c", "echo out; exit $0", "{code}"], "exit_codes": {
      "1": {"outcome": "succeeded"}, "2": {"code": "busy", "message": "it is busy", "retryable": true}, "0": {"code": "odd"}}})",
                      R"({"code": {"type": "integer"}})");
  EXPECT_EQ(text_of(run(spec, {{"code", 1}})), "out\n");
  const auto busy = run(spec, {{"code", 2}});
  ASSERT_FALSE(busy);
  EXPECT_EQ(busy.error().code, "busy");
  EXPECT_EQ(busy.error().message, "it is busy");
  EXPECT_TRUE(busy.error().retryable);
  EXPECT_EQ(code_of(run(spec, {{"code", 0}})), "odd");
  EXPECT_EQ(code_of(run(spec, {{"code", 5}})), "command_failed");
}

TEST_F(CommandTest, SaysWhatCannotBeStarted) {
  const auto missing = run(R"({"argv": ["no-such-program"]})");
  EXPECT_EQ(
      text_of(missing),
      "command_not_found: the command cannot be started: bwrap: execvp no-such-program: No such file or directory");
  const auto nowhere = run(R"({"argv": ["true"], "cwd": "/no/such"})");
  EXPECT_EQ(code_of(nowhere), "sandbox_unavailable");
  EXPECT_NE(text_of(nowhere).find("/no/such"), std::string::npos) << text_of(nowhere);
  const auto unknown = run(R"({"argv": ["true"], "profile": "other"})");
  EXPECT_EQ(text_of(unknown), "sandbox_unavailable: this worker has no sandbox profile 'other'");
}

TEST_F(CommandTest, KeepsAWorkspaceForASession) {
  auto spec = spec_of(
      R"({"argv": ["sh", "-c", "cat file 2>/dev/null; echo \"$0\" >> file; pwd", "{text}"], "workspace": "session"})",
      R"({"text": {"type": "string"}})");
  context_.session = "../../first";
  EXPECT_EQ(text_of(run(spec, {{"text", "a"}})), "/workspace\n");
  EXPECT_EQ(text_of(run(spec, {{"text", "b"}})), "a\n/workspace\n");
  context_.session = "second";
  EXPECT_EQ(text_of(run(spec, {{"text", "c"}})), "/workspace\n");
  context_.user = "another";
  EXPECT_EQ(text_of(run(spec, {{"text", "d"}})), "/workspace\n");
  // It survives the worker.
  context_.session = "../../first";
  context_.user = "local";
  use({});
  EXPECT_EQ(text_of(run(spec, {{"text", "e"}})), "a\nb\n/workspace\n");
  EXPECT_EQ(kind_->remove_idle_workspaces(std::chrono::hours(1)), 0U);
  EXPECT_EQ(kind_->remove_idle_workspaces(std::chrono::seconds(0)), 3U);
  EXPECT_EQ(text_of(run(spec, {{"text", "f"}})), "/workspace\n");
}

TEST_F(CommandTest, ACommandCannotLockItsSessionOut) {
  const auto spec = spec_of(R"({"argv": ["sh", "-c", "{text}"], "workspace": "session"})",
                            R"({"text": {"type": "string"}})");
  for (const char* mode : {"000", "500", "400"}) {
    const std::string forbids = std::string("mkdir d; echo x > d/f; chmod ") + mode + " d .";
    EXPECT_EQ(text_of(run(spec, {{"text", forbids}})), "") << mode;
    EXPECT_EQ(text_of(run(spec, {{"text", "pwd; ls; chmod 700 d; rm -r d"}})), "/workspace\nd\n");
    EXPECT_EQ(text_of(run(spec, {{"text", forbids}})), "") << mode;
    EXPECT_EQ(kind_->remove_idle_workspaces(std::chrono::seconds(0)), 1U) << mode;
  }
}

TEST_F(CommandTest, AWorkspaceIsRemovedWhateverItsMode) {
  const auto spec = spec_of(R"({"argv": ["touch", "f"], "workspace": "session"})");
  EXPECT_EQ(text_of(run(spec)), "");
  for (const auto& entry :
       std::filesystem::directory_iterator(directory_.path() / "commands" / "workspaces"))
    chmod(entry.path().c_str(), 0);
  EXPECT_EQ(text_of(run(spec)), "");
  for (const auto& entry :
       std::filesystem::directory_iterator(directory_.path() / "commands" / "workspaces"))
    chmod(entry.path().c_str(), 0);
  EXPECT_EQ(kind_->remove_idle_workspaces(std::chrono::seconds(0)), 1U);
}

TEST_F(CommandTest, RunsAProgramOfAnUnpackedImage) {
  namespace fs = std::filesystem;
  const auto root = directory_.path() / "image";
  for (const char* name : {"bin", "etc", "lib64", "proc"}) fs::create_directories(root / name);
  fs::copy("/bin/cat", root / "bin/cat");
  fs::create_symlink("/usr/lib", root / "lib");
  std::ofstream(root / "etc/image") << "of the image\n";
  tools::executors::command::CommandOptions options;
  auto& profile = options.sandbox.configuration.profiles["image"];
  profile.rootfs = root;
  profile.read_only = {{"/usr/lib", "/usr/lib"}, {"/usr/lib64", "/lib64"}};
  use(std::move(options));
  EXPECT_EQ(text_of(run(R"({"argv": ["cat", "/etc/image"], "profile": "image"})")),
            "of the image\n");
  EXPECT_EQ(code_of(run(R"({"argv": ["env"], "profile": "image"})")), "command_not_found");
}

TEST_F(CommandTest, RunsWithoutASandboxOnlyWhereAProfileSaysSo) {
  tools::executors::command::CommandOptions options;
  options.sandbox.program = "no-such-bwrap";
  options.sandbox.configuration.profiles["open"].isolation =
      tools::executors::command::SandboxProfile::Isolation::kNone;
  use(std::move(options));
  EXPECT_EQ(kind_->status().active.count(SandboxMechanism::kNamespaces), 0U);
  const auto refused = run(R"({"argv": ["true"]})");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "sandbox_unavailable");
  EXPECT_NE(refused.error().message.find("namespaces (cannot run 'no-such-bwrap'"),
            std::string::npos)
      << refused.error().message;
  EXPECT_EQ(text_of(run(R"({"argv": ["echo", "open"], "profile": "open"})")), "open\n");
  EXPECT_EQ(code_of(run(R"({"argv": ["no-such-program"], "profile": "open"})")), "not_found");
}

}  // namespace
}  // namespace toolway::test
