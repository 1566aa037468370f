#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace toolway::cli {

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::int64_t status_kb(int pid, const std::string& field) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; in >> word;)
    if (std::int64_t kb = 0; word == field && in >> kb) return kb;
  return 0;
}

Dev::Dev(const test::TempDir& dir, std::vector<std::string> more, Environment environment)
    : ready_file_(dir / "ready.json"), log_(dir / "dev.log") {
  std::vector<std::string> argv{TOOLWAY_PROGRAM, "dev",      "--data",
                                dir / "data",    "--root",   TOOLWAY_SOURCE_DIR,
                                "--ready-file",  ready_file_};
  if (std::ranges::find(more, "--http") == more.end())
    argv.insert(argv.end(), {"--http", "127.0.0.1:0"});
  argv.insert(argv.end(), more.begin(), more.end());
  auto child = local::ChildProcess::start(
      {.argv = argv, .environment = std::move(environment), .log_file = log_});
  if (!child) return;
  process = std::move(*child);
  wait_for([this] { return std::filesystem::exists(ready_file_) || process->poll(); },
           std::chrono::seconds(60));
}

Json Dev::ready() const {
  auto parsed = parse_json(text_of(ready_file_));
  return parsed ? *parsed : Json();
}

int Dev::pid_of(const std::string& role) const {
  const auto now = ready();
  return now.is_object() ? now["pids"][role][0].get<int>() : 0;
}

CallSeen call_and_wait(const std::string& url) {
  auto client = client::HttpClient::create({.url = url, .user = "e2e"});
  if (!client) return {.call_id = {}, .outcome = client.error().message};
  (void)(*client)->request("POST", "/v1/sessions", R"({"session_id":"e2e","namespaces":["time"]})");
  auto answer = (*client)->request("POST", "/v1/sessions/e2e/calls",
                                   R"({"tool":"get_current_time"})", {{"Prefer", "wait=30"}});
  if (!answer) return {.call_id = {}, .outcome = answer.error().message};
  if (answer->status != 200) return {.call_id = {}, .outcome = answer->body};
  const auto call = answer->json();
  return {.call_id = call.value("call_id", ""), .outcome = call.value("outcome", "")};
}

OrderedJson shown_call(const std::string& url, const std::string& call_id) {
  auto client = client::HttpClient::create({.url = url, .user = "e2e"});
  if (!client) return {};
  auto answer = (*client)->request("GET", "/v1/calls/" + call_id);
  return answer && answer->ok() ? answer->json() : OrderedJson();
}

OrderedJson Ran::json() const {
  auto parsed = parse_ordered_json(output);
  return parsed ? std::move(*parsed) : OrderedJson();
}

Ran run_toolway(const test::TempDir& dir, const std::vector<std::string>& arguments,
                Dev::Environment environment) {
  const auto output = dir / "ran.log";
  std::filesystem::remove(output);
  std::vector<std::string> argv{TOOLWAY_PROGRAM};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  auto child = local::ChildProcess::start(
      {.argv = argv, .environment = std::move(environment), .log_file = output});
  if (!child) return {.status = -1, .output = child.error().message};
  const auto status = (*child)->wait(std::chrono::seconds(240));
  return {.status = status.value_or(-1), .output = text_of(output)};
}

}  // namespace toolway::cli
