#include "tools/executors/command/command_config.h"

#include <gtest/gtest.h>

namespace toolway::tools::executors::command {
namespace {

const char* const kSchema =
    R"({"type": "object", "required": ["text", "files", "thing"], "properties": {
  "text": {"type": "string"}, "files": {"type": "array"}, "thing": {"type": "object"},
  "depth": {"type": "integer"}, "unit": {"type": "string", "default": "metre"}}})";

std::string mistakes(const std::string& config) {
  std::string all;
  for (const auto& mistake :
       check_command_config(*parse_ordered_json(config), *parse_ordered_json(kSchema))) {
    all += mistake.place + ": " + mistake.message + "\n";
  }
  return all;
}

TEST(CommandConfig, TakesWhatItShould) {
  EXPECT_EQ(
      mistakes(
          R"({"argv": ["printf", "%s", "{text}", "--depth={depth?}", "{unit}", "{files*}", "{thing:json}", "--", "{{}}"],
    "stdin": "{text}", "env": {"NAME": "a {unit}"}, "cwd": "/tmp", "profile": "network", "output": "json", "workspace": "session",
    "exit_codes": {"1": {"outcome": "succeeded"}, "2": {"code": "usage", "message": "wrong use", "retryable": false}},
    "max_output_bytes": 1000})"),
      "");
  EXPECT_EQ(mistakes(R"({"argv": ["{files*:option}"]})"), "");
  EXPECT_EQ(mistakes(R"({"argv": ["{text:words}"]})"), "");
}

TEST(CommandConfig, SaysAllThatIsWrongAndWhere) {
  EXPECT_EQ(mistakes("[]"),
            "/implementation_config: a command tool needs `implementation_config: {argv: […]}`\n");
  EXPECT_EQ(
      mistakes(R"({"argv": "ls -l"})"),
      "/implementation_config/argv: a command tool needs `argv`, a list of words such as [\"printf\", \"%s\", \"{text}\"]\n");
  EXPECT_EQ(
      mistakes(
          R"({"argv": ["ls", 1, "{nothing}", "{depth}", "{files}", "{thing}", "x{files*}", "{text*}"], "shell": true})"),
      "/implementation_config/argv/1: must be a string (numbers too: \"1\")\n"
      "/implementation_config/argv/2: `{nothing}` is not a property of input_schema; write `{{` for a brace\n"
      "/implementation_config/argv/3: `depth` is not required and has no default: write `{depth?}` to leave the word out when it is not given\n"
      "/implementation_config/argv/4: `files` is an array: write `{files*}` for an argument per item, or `{files:json}`\n"
      "/implementation_config/argv/5: `thing` is an object: write `{thing:json}` for its JSON text\n"
      "/implementation_config/argv/6: `{files}` stands for several arguments: it must be a whole word of argv\n"
      "/implementation_config/argv/7: `{text*}` needs an array; the schema says \"string\"\n"
      "/implementation_config/shell: unknown field `shell`; a command tool can have argv, stdin, env, cwd, profile, output, workspace, "
      "max_output_bytes, exit_codes\n");
  EXPECT_EQ(
      mistakes(R"({"argv": ["{text}"]})"),
      "/implementation_config/argv/0: the caller would choose the program: to allow that, write `{name:option}`, `{name*:option}` or "
      "`{name:words}`\n");
  EXPECT_EQ(
      mistakes(
          R"({"argv": ["ls"], "env": {"A=B": "x", "TOOLWAY_CALL_ID": "y"}, "cwd": "here", "profile": 1, "output": "xml",
      "workspace": "mine", "exit_codes": {"300": {}, "1": {"outcome": "lost", "because": 1}}, "max_output_bytes": 0})"),
      "/implementation_config/env/A=B: `A=B` is not a variable name\n"
      "/implementation_config/env/TOOLWAY_CALL_ID: names that begin with TOOLWAY_ are set by the worker\n"
      "/implementation_config/cwd: must be an absolute path in the sandbox, such as /workspace\n"
      "/implementation_config/profile: must be the name of a sandbox profile of the workers\n"
      "/implementation_config/output: \"xml\" is not one of text, json, lines\n"
      "/implementation_config/workspace: \"mine\" is not one of none, session\n"
      "/implementation_config/max_output_bytes: `max_output_bytes` must be whole bytes at least 1\n"
      "/implementation_config/exit_codes/300: must be an exit code from 0 to 255\n"
      "/implementation_config/exit_codes/1/outcome: \"lost\" is not one of succeeded, failed\n"
      "/implementation_config/exit_codes/1/because: unknown field `because`; an exit code can have outcome, code, message, retryable\n");
}

}  // namespace
}  // namespace toolway::tools::executors::command
