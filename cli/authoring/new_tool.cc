#include "cli/authoring/new_tool.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "base/ids.h"
#include "base/json.h"
#include "base/try.h"
#include "cli/authoring/templates.h"

namespace toolway::cli::authoring {
namespace {

/// Words that cannot name a function in Python, or anything in C++.
constexpr std::array kReserved{
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

/// `get-user` becomes `get_user`: a name in Python, and of files.
std::string identifier(const std::string& name) {
  std::string text = name;
  std::replace(text.begin(), text.end(), '-', '_');
  const bool taken = std::find(kReserved.begin(), kReserved.end(), text) != kReserved.end();
  // Python takes `__x` inside a class for another name.
  const bool apart = taken || is_digit(text.front()) || text.front() == '_';
  return apart ? "tool_" + text : text;
}

/// `get_user` becomes `GetUser`.
std::string type_name(const std::string& name) {
  std::string text;
  bool begins = true;
  for (const char c : identifier(name)) {
    if (c == '_')
      begins = true;
    else
      text += std::exchange(begins, false) ? upper(c) : c;
  }
  return text;
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

/// A path as one word of a shell's command line.
std::string word(const std::filesystem::path& path) {
  std::string text = path.string();
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("/._-+,:@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return text.front() == '-' ? "./" + text : text;
  replace_all(text, "'", R"('\'')");
  return "'" + text + "'";
}

std::string unit_test_of(const NewTool& tool) {
  return fmt::format(
      "ninja -C build unit_tools_tests && build/tests/unit_tools_tests --gtest_filter='Own{}Tool.*'",
      type_name(tool.name));
}

/// How `toolway dev` learns of a tool of this kind.
std::string dev_command(const NewTool& tool, const std::string& id) {
  const auto& dir = tool.directory;
  // Python tools may be in the same directory, whatever kind this one is.
  const auto dev =
      fmt::format("{} dev --specs {} --python-path {}", word(tool.program), word(dir), word(dir));
  if (tool.kind == "mcp")
    return fmt::format("{} --set mcp.servers={}", dev, word(dir / "mcp" / (tool.name + ".yaml")));
  if (tool.kind == "mock")
    return fmt::format("{} --mock {}", dev, word(dir / "mocks" / (tool.name + ".yaml")));
  if (tool.kind == "http")
    return fmt::format("python3 {} {}", word(dir / (id + "_server.py")), dev);
  return dev;
}

/// Test it, offer it, call it.
std::vector<std::string> next_commands(const NewTool& tool) {
  const auto id = identifier(tool.name);
  const auto call = [&](const std::string& program) {
    return fmt::format(R"({} call {}.{} '{{"text": "hello"}}' --wait)", program, tool.ns,
                       tool.name);
  };
  if (tool.kind == "native") {
    const auto in =
        tool.directory == "." ? std::string() : fmt::format("cd {} && ", word(tool.directory));
    return {in + unit_test_of(tool), in + "./run dev", in + call("build/toolway")};
  }
  const bool by_path = tool.kind != "python" && tool.program.find('/') != std::string::npos;
  return {fmt::format("{}python3 {}", by_path ? fmt::format("TOOLWAY={} ", word(tool.program)) : "",
                      word(tool.directory / ("test_" + id + ".py"))),
          dev_command(tool, id), call(word(tool.program))};
}

Result<void> check(const NewTool& tool) {
  for (const auto& [what, text] :
       {std::pair("tool name", tool.name), std::pair("namespace", tool.ns)}) {
    if (valid_name(text)) continue;
    return fail(
        ErrorCode::kInvalidRequest,
        fmt::format(
            "'{}' is not a {}: it must be 1 to 64 characters of A-Z a-z 0-9 _ -, such as get_user",
            text, what));
  }
  const auto kinds = scaffolded_kinds();
  if (std::find(kinds.begin(), kinds.end(), tool.kind) != kinds.end()) return {};
  return fail(ErrorCode::kInvalidRequest,
              fmt::format("cannot make a tool of kind '{}': the kinds are {}", tool.kind,
                          fmt::join(kinds, ", ")));
}

}  // namespace

std::vector<std::string> scaffolded_kinds() {
  std::set<std::string> kinds;
  for (const auto& each : tool_templates()) kinds.insert(each.path.substr(0, each.path.find('/')));
  return {kinds.begin(), kinds.end()};
}

Result<Scaffold> scaffold(const NewTool& tool) {
  RETURN_IF_ERROR(check(tool));
  const auto id = identifier(tool.name);
  const auto server =
      std::filesystem::absolute(tool.directory / "mcp" / (id + "_server.py")).lexically_normal();
  const std::map<std::string, std::string> values{{"@NAME@", tool.name},
                                                  {"@NAMESPACE@", tool.ns},
                                                  {"@IDENTIFIER@", id},
                                                  {"@TYPE@", type_name(tool.name)},
                                                  {"@PORT@", fmt::to_string(tool.port)},
                                                  {"@SERVER@", Json(server.string()).dump()}};
  Scaffold made{.files = {}, .next = next_commands(tool)};
  for (const auto& [path, text] : tool_templates()) {
    if (!path.starts_with(tool.kind + "/")) continue;
    auto at = path.substr(tool.kind.size() + 1);
    // A file's name has one of the two.
    if (at.find("IDENTIFIER") != std::string::npos)
      replace_all(at, "IDENTIFIER", id);
    else
      replace_all(at, "NAME", tool.name);
    NewFile file{tool.directory / at, text};
    for (const auto& [placeholder, value] : values) replace_all(file.text, placeholder, value);
    made.files.push_back(std::move(file));
  }
  return made;
}

}  // namespace toolway::cli::authoring
