// The audit of `toolway dev`: what is in it, and that a change of it is found out.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "cli/client/http_client.h"
#include "persistence/postgres/pg_connection.h"
#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"

namespace toolway::cli {
namespace {

class AuditOfDev : public testing::Test {
 protected:
  void start() {
    std::filesystem::remove(dir_ / "ready.json");
    std::ofstream(dir_ / "extensions.yaml")
        << "roles:\n"
           "  agent: {permissions: ['call:*']}\n"
           "  approver: {permissions: ['call:*']}\n"
           "  auditor: {permissions: ['audit:read']}\n"
           "rules:\n"
           "  - name: unsafe_only\n"
           "    approval: {mode: unsafe_only, roles: [approver]}\n";
    dev_ = std::make_unique<Dev>(
        dir_, std::vector<std::string>{"--auth", "keys", "--extensions", dir_ / "extensions.yaml",
                                       "--specs", TOOLWAY_SOURCE_DIR "/examples/tools",
                                       "--python-path", TOOLWAY_SOURCE_DIR "/examples/tools"});
    ASSERT_TRUE(wait_for([&] { return !dev_->ready().is_null(); }, std::chrono::seconds(60)))
        << dev_->log();
  }
  void stop() {
    dev_->process->signal(SIGINT);
    dev_->process->wait(std::chrono::seconds(60));
    dev_.reset();
  }

  Ran run(std::vector<std::string> arguments, const std::string& key = {}) {
    Dev::Environment environment{{"TOOLWAY_URL", dev_->url()}};
    if (!key.empty()) environment["TOOLWAY_API_KEY"] = key;
    return run_toolway(dir_, arguments, std::move(environment));
  }
  Ran audit(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "audit");
    arguments.insert(arguments.end(), {"--data", dir_ / "data"});
    return run(std::move(arguments));
  }
  std::string key_of(const std::string& user, const std::string& role) {
    const auto made = run(
        {"keys", "create", "--user", user, "--role", role, "--data", dir_ / "data", "-o", "json"});
    EXPECT_EQ(made.status, 0) << made.output;
    return made.json()["key"];
  }
  /// Everything that is recorded; as it is once that holds.
  std::vector<OrderedJson> records() {
    std::vector<OrderedJson> found;
    std::istringstream lines(audit({"export"}).output);
    for (std::string line; std::getline(lines, line);)
      if (auto record = parse_ordered_json(line)) found.push_back(*std::move(record));
    return found;
  }
  /// Over HTTP, with a key.
  client::HttpAnswer asked(const std::string& target, const std::string& key) {
    auto client = client::HttpClient::create({.url = dev_->url(), .reach = {.token = key}});
    EXPECT_TRUE(client);
    auto answer = (*client)->request("GET", target);
    EXPECT_TRUE(answer) << answer.error().message;
    return answer.value_or(client::HttpAnswer{});
  }
  OrderedJson first(const std::string& what) {
    OrderedJson found;
    EXPECT_TRUE(wait_for([&] {
      for (const auto& record : records())
        if (record["what"] == what) return !(found = record).is_null();
      return false;
    })) << what;
    return found;
  }
  OrderedJson sealed() {
    OrderedJson said;
    EXPECT_TRUE(wait_for([&] {
      said = audit({"verify", "-o", "json"}).json();
      return said["unsealed"] == 0;
    })) << to_text(said);
    return said;
  }

  const test::TempDir dir_;
  std::unique_ptr<Dev> dev_;
};

TEST_F(AuditOfDev, SaysWhoDidWhatAndIsFoundOutWhenItIsChanged) {
  start();
  struct stat keys{};
  ASSERT_EQ(stat(std::string(dir_ / "data/seal-keys").c_str(), &keys), 0);
  EXPECT_EQ(keys.st_mode & 0777U, 0600U);

  const auto caller = key_of("caller", "agent");
  const auto checker = key_of("checker", "approver");
  const auto auditor = key_of("auditor", "auditor");
  ASSERT_TRUE(wait_for([&] { return run({"session", "list"}, checker).status == 0; }));
  EXPECT_EQ(run({"session", "open", "s", "-n", "examples"}, caller).status, 0);
  const auto held = run({"call", "examples.dangerous_delete", R"({"path": "hunter2"})", "--session",
                         "s", "-o", "json"},
                        caller);
  ASSERT_EQ(held.status, 0) << held.output;
  const auto call = held.json()["call_id"].get<std::string>();
  EXPECT_EQ(first("call_held")["id"], call);
  EXPECT_EQ(run({"calls", "approve", call}, caller).status, 3) << "its own caller";
  const auto approved = run({"calls", "approve", call, "--reason", "seen"}, checker);
  EXPECT_EQ(approved.status, 0) << approved.output;
  const auto ended = first("call_ended");
  // Its whole history is in one answer, each step once.
  const auto shown = run({"calls", "show", call, "-o", "json"}, caller);
  std::vector<std::string> steps;
  std::string decider;
  const auto document = shown.json();
  for (const auto& event : document["events"]) {
    if (event["type"] == "log") continue;  // its tool's own words
    steps.push_back(event["type"]);
    if (steps.back() == "approval_decided") decider = event["by"];
  }
  EXPECT_EQ(steps, (std::vector<std::string>{"accepted", "approval_requested", "approval_decided",
                                             "started", "completed"}))
      << shown.output;
  EXPECT_EQ(decider, "checker");
  const auto decided = first("call_decided");
  EXPECT_EQ(decided["user"], "checker");
  EXPECT_EQ(decided["method"], "key");
  EXPECT_EQ(decided["outcome"], "approved");
  EXPECT_EQ(decided["details"]["reason"], "seen");
  EXPECT_EQ(ended["id"], call);
  EXPECT_EQ(ended["user"], "caller");
  EXPECT_EQ(ended["object"], "examples.dangerous_delete");
  EXPECT_EQ(ended["details"]["policy"], 1);
  EXPECT_TRUE(ended["details"]["arguments"].get<std::string>().starts_with("sha256:"));
  EXPECT_EQ(first("policy_put")["details"]["version"], 1);
  EXPECT_EQ(first("key_created")["details"]["user"], "caller");
  EXPECT_EQ(
      run({"tools", "disable", "examples", "--reason", "too slow", "--data", dir_ / "data"}).status,
      0);
  EXPECT_EQ(first("switched_off")["details"]["reason"], "too slow");
  EXPECT_EQ(run({"tools", "enable", "examples", "--data", dir_ / "data"}).status, 0);
  EXPECT_EQ(first("switched_on")["object"], "examples");

  // What was refused within a minute is told when its gateway ends.
  stop();
  start();
  const auto refused = first("refused");
  EXPECT_EQ(refused["user"], "caller");
  EXPECT_EQ(refused["code"], "permission_denied");
  EXPECT_EQ(asked("/v1/audit", caller).status, 403);
  EXPECT_EQ(asked("/v1/audit?tenant=other", auditor).status, 403);
  EXPECT_EQ(asked("/v1/audit?what=nosuch", auditor).status, 422);
  const auto page = asked("/v1/audit?what=call_decided", auditor).json();
  ASSERT_EQ(page["records"].size(), 1U) << to_text(page);
  EXPECT_EQ(page["records"][0], decided) << "the same as the program exports";
  const auto everything = audit({"export"}).output;
  EXPECT_EQ(everything.find("hunter2"), std::string::npos);
  EXPECT_EQ(everything.find(caller), std::string::npos);

  const auto whole = sealed();
  EXPECT_TRUE(whole["whole"]) << to_text(whole);
  EXPECT_EQ(whole["records"], records().size());
  const auto number = ended["number"].get<int>();
  auto postgres = persistence::postgres::PgConnection::open(dev_->ready()["postgres"]);
  ASSERT_TRUE(postgres);
  const auto change =
      "UPDATE audit_log SET outcome = 'lost' WHERE number = " + std::to_string(number);
  EXPECT_FALSE(postgres->execute(change)) << "a trigger refuses it";
  ASSERT_TRUE(postgres->execute("ALTER TABLE audit_log DISABLE TRIGGER ALL; " + change));
  const auto found = audit({"verify"});
  EXPECT_EQ(found.status, 1);
  EXPECT_NE(found.output.find("record " + std::to_string(number) + " is not what was sealed"),
            std::string::npos)
      << found.output;
  EXPECT_NE(found.output.find("not whole"), std::string::npos) << found.output;
}

TEST_F(AuditOfDev, SaysWhatToGiveIt) {
  start();
  std::ofstream(dir_ / "keys") << "one 12\n";
  ::chmod(std::string(dir_ / "keys").c_str(), 0600);
  const auto wrong = audit({"verify", "--seal-keys", dir_ / "keys"});
  EXPECT_EQ(wrong.status, 2) << wrong.output;
  EXPECT_NE(wrong.output.find("line 1"), std::string::npos) << wrong.output;
  ::chmod(std::string(dir_ / "keys").c_str(), 0644);
  EXPECT_NE(audit({"verify", "--seal-keys", dir_ / "keys"}).output.find("chmod 600"),
            std::string::npos);
  EXPECT_EQ(audit({"verify", "--last", "7"}).status, 2);
  EXPECT_EQ(audit({"export", "--since", "yesterday"}).status, 2);
  const auto nowhere = run({"audit", "verify", "--data", dir_ / "none"});
  EXPECT_EQ(nowhere.status, 2) << nowhere.output;
  EXPECT_NE(nowhere.output.find("--seal-keys"), std::string::npos) << nowhere.output;
}

}  // namespace
}  // namespace toolway::cli
