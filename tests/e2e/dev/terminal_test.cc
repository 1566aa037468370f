// What the client verbs print on a terminal, in a pipe, and for a shell.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "cli/terminal/table.h"
#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"

namespace toolway::cli {
namespace {

struct Shown {
  int status = -1;
  std::string text;  ///< both streams, as the terminal got them

  std::vector<std::string> lines() const {
    std::istringstream in(text);
    std::vector<std::string> result;
    for (std::string line; std::getline(in, line);) {
      if (line.ends_with('\r')) line.pop_back();
      result.push_back(line);
    }
    return result;
  }
};

/// Runs `command` with bash on a terminal of `columns` characters.
Shown on_terminal(unsigned short columns, const std::string& command) {
  winsize size{.ws_row = 40, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  int master = -1;
  const auto child = forkpty(&master, nullptr, nullptr, &size);
  if (child == 0) {
    execl("/bin/bash", "bash", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  Shown shown;
  char bytes[4096];
  for (ssize_t got = 0; (got = read(master, bytes, sizeof bytes)) > 0;)
    shown.text.append(bytes, static_cast<std::size_t>(got));
  int status = 0;
  waitpid(child, &status, 0);
  close(master);
  shown.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return shown;
}

class Terminal : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new test::TempDir;
    dev_ = new Dev(*dir_);
    for (const char* arguments :
         {"session open a-session-with-a-rather-long-name -n time,filesystem,bench",
          "call get_current_time --session a-session-with-a-rather-long-name --wait",
          "call hash_file path=README.md --session a-session-with-a-rather-long-name --wait"})
      EXPECT_EQ(piped(arguments).status, 0) << arguments;
  }
  static void TearDownTestSuite() {
    delete dev_;
    delete dir_;
  }
  static std::string prefix() {
    return "export TOOLWAY_URL=" + dev_->url() +
           " TOOLWAY_USER=ann; unset NO_COLOR; toolway() { " TOOLWAY_PROGRAM " \"$@\"; }; ";
  }
  /// `toolway …` on a terminal.
  static Shown shown(const std::string& arguments, unsigned short columns = 80) {
    return on_terminal(columns, prefix() + "toolway " + arguments);
  }
  static Ran bash(const std::string& script) {
    const std::string log = *dir_ / "bash";
    std::remove(log.c_str());
    auto child = local::ChildProcess::start(
        {.argv = {"/bin/bash", "-c", prefix() + script}, .log_file = log});
    if (!child) return {};
    const auto status = (*child)->wait(std::chrono::seconds(60));
    return {status.value_or(-1), text_of(log)};
  }
  static Ran piped(const std::string& arguments) { return bash("toolway " + arguments); }

  static inline test::TempDir* dir_ = nullptr;
  static inline Dev* dev_ = nullptr;
};

constexpr const char* kSession = "a-session-with-a-rather-long-name";

std::string without_colours(const std::string& text) {
  return std::regex_replace(text, std::regex("\x1b\\[[0-9;]*m"), "");
}

TEST_F(Terminal, EveryDefaultViewFitsEightyColumns) {
  for (const std::string& verb :
       {std::string("tools"), std::string("session list"), std::string("workers"),
        std::string("calls list ") + kSession, std::string("mailbox ") + kSession,
        std::string("tools disabled --data ") + (*dir_ / "data"),
        std::string("tools show hash_file"),
        std::string("specs list --data ") + (*dir_ / "data")}) {
    const auto table = shown(verb);
    EXPECT_EQ(table.status, 0) << table.text;
    EXPECT_GE(table.lines().size(), 1U) << verb;
    if (verb == "tools show hash_file") continue;  // its description is a paragraph
    for (const auto& line : table.lines())
      EXPECT_LE(terminal::display_width(without_colours(line)), 80U) << verb << ": " << line;
  }
  EXPECT_NE(shown("tools").text.find("…"), std::string::npos) << "what is cut is marked";
}

TEST_F(Terminal, APipeGetsEverythingWithoutColours) {
  const auto calls = piped(std::string("calls list ") + kSession);
  EXPECT_EQ(calls.output.find('\x1b'), std::string::npos);
  EXPECT_TRUE(std::regex_search(
      calls.output, std::regex("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")))
      << calls.output;
  EXPECT_TRUE(std::regex_search(calls.output, std::regex("20[0-9]{2}-[0-9-]{5}T[0-9:]{8}\\.")));
  EXPECT_EQ(piped("tools").output.find("…"), std::string::npos);
}

TEST_F(Terminal, ColoursAndAgesAreOfATerminal) {
  const std::regex age("  (now|[0-9]+ (s|min) ago)  ");
  const auto verb = std::string("calls list ") + kSession;
  const auto coloured = shown(verb);
  EXPECT_NE(coloured.text.find("\x1b[32msucceeded\x1b[0m"), std::string::npos) << coloured.text;
  EXPECT_TRUE(std::regex_search(coloured.text, age)) << coloured.text;
  EXPECT_EQ(shown(verb + " --color never").text.find('\x1b'), std::string::npos);
  EXPECT_EQ(on_terminal(80, prefix() + "NO_COLOR=1 toolway " + verb).text.find('\x1b'),
            std::string::npos);
  EXPECT_FALSE(std::regex_search(shown(verb + " --time=absolute").text, age));
}

TEST_F(Terminal, TheIdsThatItShowsAreTaken) {
  const auto listed = without_colours(shown(std::string("calls list ") + kSession).text);
  std::smatch row;
  ASSERT_TRUE(
      std::regex_search(listed, row, std::regex("\n([0-9a-f]{8,12})  filesystem.hash_file")))
      << listed;
  const auto shown_call = piped("calls show " + row[1].str() + " -o json");
  EXPECT_EQ(shown_call.status, 0) << shown_call.output;
  EXPECT_EQ(shown_call.json()["tool"], "hash_file");
  EXPECT_EQ(piped("explain " + row[1].str()).status, 0);
  const auto ids = piped(std::string("calls list ") + kSession + " -o name");
  EXPECT_TRUE(std::regex_match(ids.output, std::regex("([0-9a-f-]{36}\n){2}"))) << ids.output;
  const auto unknown = piped("calls show ffffffff");
  EXPECT_EQ(unknown.status, 3);
  EXPECT_EQ(unknown.output.find("error: no recent call"), 0U) << unknown.output;
}

TEST_F(Terminal, AResultEndsItsLineOnATerminalOnly) {
  const auto id = piped(std::string("calls list ") + kSession + " -o name --limit 1").output;
  const auto result = shown("calls result " + id.substr(0, 36));
  EXPECT_TRUE(result.text.ends_with("}\r\n")) << result.text;
  EXPECT_TRUE(piped("calls result " + id.substr(0, 36)).output.ends_with("}"));
}

TEST_F(Terminal, PairsAreTypedByTheToolsSchema) {
  const auto pairs = piped("call get_current_time timezone=Asia/Tokyo --wait -o json");
  EXPECT_EQ(pairs.status, 0) << pairs.output;
  EXPECT_EQ(pairs.json()["result"]["timezone"], "Asia/Tokyo");
  EXPECT_EQ(piped("call bench.work wait_ms=1 --wait").status, 0);
  const auto wrong = piped("call bench.work wait_ms=soon --wait");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.output, "error: wait_ms=soon: the tool wants an integer\n");
  const auto broken = piped("call get_current_time Asia/Tokyo");
  EXPECT_EQ(broken.status, 2);
  EXPECT_EQ(broken.output.find("error: ARGUMENTS must be a JSON object"), 0U) << broken.output;
  EXPECT_EQ(bash("echo '{\"timezone\": \"UTC\"}' | toolway call get_current_time - --wait").status,
            0);
}

TEST_F(Terminal, ErrorsSayWhatToDoInVerbs) {
  const auto session = piped("session show nope");
  EXPECT_EQ(session.status, 3);
  EXPECT_EQ(session.output,
            "error: session 'nope' was not found\n"
            "  open it: toolway session open nope -n NAMESPACE\n");
  EXPECT_NE(piped("watch a-session-with-a-rather-long-nam")
                .output.find("did you mean 'a-session-with-a-rather-long-name'?"),
            std::string::npos);
  const auto json = piped("session show nope -o json");
  EXPECT_EQ(json.json()["code"], "unknown_session") << json.output;
  EXPECT_EQ(piped("tools --namspace x -o json").json()["code"], "invalid_request");
  EXPECT_EQ(piped("sesion list").output,
            "error: unknown verb 'sesion'\n  did you mean 'session'?\n  see: toolway --help\n");
  const auto away = piped("tools --url http://127.0.0.1:1");
  EXPECT_EQ(away.status, 4);
  EXPECT_EQ(away.output.find("error: cannot reach http://127.0.0.1:1"), 0U) << away.output;
}

TEST_F(Terminal, NoNatsIsSaidSoonAndWithoutItsPassword) {
  const auto began = std::chrono::steady_clock::now();
  const auto ran = piped("tools disabled --nats nats://ann:secret@127.0.0.1:1");
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
  EXPECT_EQ(ran.status, 4);
  EXPECT_EQ(ran.output.find("error: no NATS server answers at nats://127.0.0.1:1: start one"), 0U)
      << ran.output;
  EXPECT_EQ(ran.output.find("secret"), std::string::npos);
}

TEST_F(Terminal, AClosedPipeIsQuietAndAFullDiskIsNot) {
  const auto closed = bash("toolway tools | head -1; echo ${PIPESTATUS[0]}");
  EXPECT_TRUE(closed.output.ends_with("\n0\n") || closed.output.ends_with("\n141\n"))
      << closed.output;
  EXPECT_EQ(std::count(closed.output.begin(), closed.output.end(), '\n'), 2) << closed.output;
  const auto full = bash("toolway tools > /dev/full");
  EXPECT_EQ(full.status, 1);
  EXPECT_EQ(full.output, "error: cannot write to standard output: No space left on device\n");
}

TEST_F(Terminal, BashCompletesVerbsOptionsAndNames) {
  const auto at = [](const std::string& words) {
    return bash("source <(toolway completion bash); COMP_WORDS=(" + words +
                "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _toolway; printf '%s\\n' "
                "\"${COMPREPLY[@]}\"")
        .output;
  };
  EXPECT_EQ(at("toolway ses"), "session\n");
  EXPECT_EQ(at("toolway calls list --sta"), "--state\n");
  EXPECT_EQ(at("toolway watch a-ses"), "a-session-with-a-rather-long-name\n");
  EXPECT_EQ(at("toolway call time."), "time.get_current_time\n");
  EXPECT_NE(at("toolway worker --pool ''").find("native\n"), std::string::npos);
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(bash("TOOLWAY_URL=http://127.0.0.1:1 toolway __complete watch ''").output, "");
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
}

TEST_F(Terminal, HelpIsThere) {
  const auto alone = piped("");
  EXPECT_EQ(alone.status, 0);
  EXPECT_NE(alone.output.find("Usage:\n  toolway VERB [OPTIONS]"), std::string::npos)
      << alone.output;
  EXPECT_EQ(piped("session").status, 0);
  EXPECT_NE(piped("session open --help").output.find("Examples:"), std::string::npos);
  EXPECT_NE(piped("help exit-status").output.find("130, 143"), std::string::npos);
  EXPECT_EQ(piped("help call").output, piped("call --help").output);
  EXPECT_EQ(piped("help nonsense").status, 2);
  EXPECT_EQ(piped("version").output, piped("--version").output);
  EXPECT_EQ(piped("man --into " + (*dir_ / "man")).status, 0);
  EXPECT_EQ(text_of(*dir_ / "man/toolway-session-open.1").find(".TH"), 0U);
  if (bash("command -v groff").status == 0) {
    EXPECT_EQ(bash("toolway man call | groff -man -Tascii -ww > /dev/null").output, "");
  }
}

}  // namespace
}  // namespace toolway::cli
