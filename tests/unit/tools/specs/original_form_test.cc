// Specs as the first design of this project wrote them.
#include <gtest/gtest.h>

#include "tests/unit/tools/specs/documents.h"
#include "tools/executors/kind_types.h"
#include "tools/specs/command_line.h"

namespace toolway::tools::specs {
namespace {

std::string shell(const std::string& more) {
  return "tools:\n  - name: t\n    tool_type: shell\n" + more;
}

TEST(OriginalForm, BecomesAnOrdinaryCommand) {
  const model::Spec spec = only_spec(
      "tools:\n"
      "  - name: dangerous_delete\n"
      "    tool_type: shell\n"
      "    is_dangerous: true\n"
      "    shell: true\n"
      "    command: rm -- {path}\n");
  EXPECT_EQ(spec.kind, model::Kind::kCommand);
  EXPECT_EQ(spec.pool, "command");
  EXPECT_TRUE(spec.dangerous);
  EXPECT_EQ(to_text(spec.implementation), R"({"argv":["rm","--","{path}"]})");
  EXPECT_EQ(
      to_text(spec.input_schema),
      R"({"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false})");
}

TEST(OriginalForm, TakesTheConfigFromEitherPlace) {
  for (const char* text :
       {"    command: date +%s\n    implementation_config: {stdin: x}\n",
        "    implementation_config: {command: date +%s, shell: false, stdin: x}\n"}) {
    const model::Spec spec = only_spec(shell(text));
    EXPECT_EQ(spec.implementation.at("argv"), (OrderedJson{"date", "+%s"}));
    EXPECT_EQ(spec.implementation.at("stdin"), "x");
    EXPECT_EQ(to_text(spec.input_schema),
              R"({"type":"object","properties":{},"additionalProperties":false})");
  }
  const model::Spec python = only_spec(
      "name: t\ntool_type: python\nmodule: m\nfunction_name: f\n"
      "parameters: {type: object, properties: {a: {type: integer}}}\n");
  EXPECT_EQ(python.kind, model::Kind::kPython);
  EXPECT_EQ(to_text(python.implementation), R"({"module":"m","function_name":"f"})");
  EXPECT_TRUE(python.input_schema["properties"].contains("a"));
}

TEST(OriginalForm, SaysMistakesAtTheirLines) {
  EXPECT_EQ(
      mistakes_of(
          shell("    command: ls\n    is_dangerous: maybe\n    shell: bash\n    colour: red\n"))
          .at(0),
      "5: `is_dangerous` must be true or false");
  EXPECT_EQ(mistakes_of(shell("    command: ls\n    shell: bash\n")),
            Lines{"5: `shell` must be true or false"});
  EXPECT_EQ(mistakes_of(shell("    kind: command\n    command: ls\n")),
            Lines{"4: `kind` appears twice: `tool_type` is at line 3"});
  EXPECT_EQ(mistakes_of(shell("    command: ls\n    implementation_config:\n      command: ls\n")),
            Lines{"6: \"argv\" appears twice, first at line 4"});
  EXPECT_EQ(mistakes_of(shell("    command: [ls]\n    parameters: {type: object}\n")).at(0),
            "4: `command` must be text");
  EXPECT_EQ(mistakes_of("name: t\ntool_type: lisp\ninput_schema: {type: object}\n"),
            Lines{"2: there is no kind \"lisp\": it must be " + executors::kind_types().names()});
  EXPECT_EQ(mistakes_of("name: t\nkind: command\ncommand: ls\ninput_schema: {type: object}\n")
                .back()
                .find("3: unknown field `command`"),
            0U);
  EXPECT_EQ(
      mistakes_of(shell("    command: \"cat {path} | wc -l\"\n")),
      Lines{
          "4: `command` cannot be split into words: `|` at character 12 is shell syntax; a tool runs one program, without a shell: write "
          "`implementation_config: {argv: [\"cat\",\"{path}\"]}`"});
}

using Words = std::vector<std::string>;

TEST(CommandLine, SplitsAsAShellDoes) {
  const std::vector<std::pair<const char*, Words>> cases{
      {"ls", {"ls"}},
      {"  ls   -l\t{path}  ", {"ls", "-l", "{path}"}},
      {"printf '%s\\n' \"a b\" c\\ d", {"printf", "%s\\n", "a b", "c d"}},
      {"a 'it'\\''s' \"say \\\"x\\\" \\$ \\n\"", {"a", "it's", "say \"x\" $ \\n"}},
      {"a '' \"\" x''y", {"a", "", "", "xy"}},
      {"grep --file={file} '{pattern}' \"{dir}/x\"",
       {"grep", "--file={file}", "{pattern}", "{dir}/x"}},
      {"a {x}{y}-{x}", {"a", "{x}{y}-{x}"}},
      {"awk '{print $1}' {f}", {"awk", "{{print $1}}", "{f}"}},
      {"a '*' \\* \"?\" '|' \\; '#' a#b \\~ a~ '$x' \"`\"x", {}},
      {"a '*' \\* \"?\" '|' \\; '#' a#b \\~ a~ '$x'",
       {"a", "*", "*", "?", "|", ";", "#", "a#b", "~", "a~", "$x"}},
      {"one \\\n two\n", {"one", "two"}},
      {"a \"x\\\ny\"", {"a", "xy"}},
      {"dd if={in} of=x", {"dd", "if={in}", "of=x"}},
      {"env A=b printenv A", {"env", "A=b", "printenv", "A"}},
      {"'A=b'", {"A=b"}},
      {"a !x %1 ^ , @ : + = ]", {"a", "!x", "%1", "^", ",", "@", ":", "+", "=", "]"}},
  };
  for (const auto& [line, argv] : cases) {
    const auto split = split_command_line(line);
    EXPECT_EQ(split.argv, argv) << line << ": " << split.refused;
    EXPECT_EQ(split.refused.empty(), !argv.empty()) << line;
  }
  EXPECT_EQ(split_command_line("a {x}{y} '{x}' {z-1}").placeholders, (Words{"x", "y", "z-1"}));
}

TEST(CommandLine, RefusesWhatNeedsAShellAndShowsArgv) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"cat {f} | wc -l", R"(["cat","{f}"])"},
      {"a; b", R"(["a"])"},
      {"sleep 5 &", R"(["sleep","5"])"},
      {"a {x} && b", R"(["a","{x}"])"},
      {"echo {x} > {f}", R"(["echo","{x}"])"},
      {"echo {x} 2>&1", R"(["echo","{x}"])"},
      {"wc < {f}", R"(["wc"])"},
      {"echo `date`", R"(["echo","`date`"])"},
      {"echo $HOME", R"(["echo","$HOME"])"},
      {"echo \"$(date)\"", R"x(["echo","$(date)"])x"},
      {"ls *.txt", R"(["ls","*.txt"])"},
      {"ls {d}/?", R"(["ls","{d}/?"])"},
      {"ls [ab]", R"(["ls","[ab]"])"},
      {"ls ~/x", R"(["ls","~/x"])"},
      {"ls # all", R"(["ls"])"},
      {"(ls)", R"(["ls"])"},
      {"mv x.{a,b}", R"(["mv","x.{{a,b}}"])"},
      {"echo {1..3}", R"(["echo","{{1..3}}"])"},
      {"find . -exec rm {} +", R"(["find",".","-exec","rm","{{}}","+"])"},
      {"ls\nrm x", R"(["ls"])"},
      {"cd /tmp && ls {x}", R"(["ls","{x}"])"},
      {"cd /tmp", R"(["PROGRAM", "ARGUMENT"])"},
      {"A=1 B=2 env x", R"(["env","x"])"},
      {"A={x}", R"(["PROGRAM", "ARGUMENT"])"},
      {"if true; then ls; fi", R"(["PROGRAM", "ARGUMENT"])"},
      {"export X", R"(["PROGRAM", "ARGUMENT"])"},
      {"", R"(["PROGRAM", "ARGUMENT"])"},
      {" \n", R"(["PROGRAM", "ARGUMENT"])"},
  };
  for (const auto& [line, argv] : cases) {
    const auto split = split_command_line(line);
    EXPECT_TRUE(split.argv.empty()) << line;
    EXPECT_NE(split.refused.find(std::string("argv: ") + argv + "}"), std::string::npos)
        << line << ": " << split.refused;
  }
  EXPECT_EQ(split_command_line("echo 'x").refused,
            "cannot be split into words: the quote at character 6 is not closed");
  EXPECT_EQ(
      split_command_line("echo \\").refused,
      "cannot be split into words: a backslash at character 6 ends the command and escapes nothing");
  EXPECT_EQ(split_command_line("cd {d}").refused.find(
                "cannot be split into words: `cd` is a shell word, not a program; a tool"),
            0U);
}

}  // namespace
}  // namespace toolway::tools::specs
