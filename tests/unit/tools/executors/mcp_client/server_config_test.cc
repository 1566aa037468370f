#include "tools/executors/mcp_client/server_config.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_dir.h"

namespace toolway::tools::executors::mcp_client {
namespace {

std::string mistakes_of(std::string_view text) {
  std::string told;
  for (const auto& mistake : read_servers(text, "mcp.yaml").mistakes) told += mistake.text() + "\n";
  return told;
}

TEST(McpServersFile, SeveralFilesNameAServerOnce) {
  const test::TempDir dir;
  std::ofstream(dir / "a.yaml") << "files: {command: [a]}\n";
  std::ofstream(dir / "b.yaml") << "web: {command: [b]}\n";
  std::ofstream(dir / "c.yaml") << "\nfiles: {command: [c]}\n";
  const auto both = read_servers_files({dir / "a.yaml", dir / "b.yaml"});
  ASSERT_TRUE(both) << both.error().message;
  ASSERT_EQ(both->size(), 2U);
  EXPECT_EQ((*both)[1].name, "web");
  const auto twice = read_servers_files({dir / "a.yaml", dir / "c.yaml"});
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message, (dir / "c.yaml") + ":2: server 'files' is already defined at " +
                                       (dir / "a.yaml") + ":1");
}

TEST(McpServersFile, ReadsBothKinds) {
  const auto document = read_servers(R"(
files:
  command: [npx, -y, server, /srv]
  env: {TOKEN: {secret: GITHUB}, MIXED: "a {secret:B} c", PLAIN: x, BARE: {secret:C}}
  cwd: /srv
  namespace: fs
  pool: disk
  include: ["read_*"]
  defaults:
    idempotent: true
    dangerous: true
    permissions: [files]
    limits: {run_ms: 5000}
    retry: {max_attempts: 3}
  trust_annotations: true
  asks: [form, sampling]
  start_timeout_ms: 20000
  max_message_bytes: 1000000
web:
  url: https://example.com/mcp
  headers: {Authorization: "Bearer {secret:WEB}"}
  allow_addresses: [127.0.0.1]
)",
                                     "mcp.yaml");
  for (const auto& mistake : document.mistakes) ADD_FAILURE() << mistake.text();
  ASSERT_EQ(document.servers.size(), 2U);
  const auto& files = document.servers[0];
  EXPECT_EQ(files.stdio->command.size(), 4U);
  EXPECT_EQ(files.defaults.ns, "fs");
  EXPECT_EQ(files.defaults.pool, "disk");
  EXPECT_TRUE(files.defaults.idempotent);
  EXPECT_TRUE(files.defaults.multi_step);
  EXPECT_EQ(files.defaults.limits.run, std::chrono::seconds(5));
  EXPECT_EQ(files.start_timeout, std::chrono::seconds(20));
  EXPECT_TRUE(files.trusts_annotations);
  EXPECT_EQ(files.asks, (mcp::ClientCapabilities{.form = true, .sampling = true}));
  const model::Secrets secrets({}, {{"GITHUB", "g"}, {"B", "b"}, {"C", "c"}});
  std::string values;
  for (const auto& [name, text] : files.stdio->environment)
    values += name + "=" + *text.render(secrets) + ";";
  EXPECT_EQ(values, "TOKEN=g;MIXED=a b c;PLAIN=x;BARE=c;");
  const auto& web = document.servers[1];
  EXPECT_EQ(web.start_timeout, std::chrono::seconds(10)) << "nothing has to start";
  EXPECT_EQ(web.http->url, "https://example.com/mcp");
  EXPECT_EQ(web.defaults.ns, "web") << "the server's name";
  const auto empty = web.http->headers[0].second.render(model::Secrets({}, {{"WEB", ""}}));
  EXPECT_EQ(empty.error().message, "secret WEB is empty");
  const auto missing = web.http->headers[0].second.render(model::Secrets());
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("WEB"), std::string::npos);
}

TEST(McpServersFile, AProcessHasAMinuteToStart) {
  const auto document = read_servers("a: {command: [npx, -y, a]}\n", "mcp.yaml");
  EXPECT_EQ(document.servers.at(0).start_timeout, std::chrono::seconds(60));
}

TEST(McpServersFile, SaysEveryMistakeWithItsLine) {
  const auto told = mistakes_of(R"(a:
  command: not a list
b:
  url: ftp://example.com
c: {command: [x], url: "http://example.com"}
d: {}
e:
  command: [x]
  colour: red
f:
  command: [x]
  env: {A: {secret: "no good"}}
g:
  command: [x]
  defaults: {run: 5}
"h i": {command: [x]}
j:
  url: http://example.com
  headers: {"bad header": x}
k:
  command: [x]
  start_timeout_ms: 1
)");
  for (const auto* line :
       {"mcp.yaml:2:", "mcp.yaml:4:", "mcp.yaml:5:", "mcp.yaml:6:", "mcp.yaml:9:", "mcp.yaml:12:",
        "mcp.yaml:15:", "mcp.yaml:16:", "mcp.yaml:19:", "mcp.yaml:22:"}) {
    EXPECT_NE(told.find(line), std::string::npos) << line << "\n" << told;
  }
  EXPECT_NE(mistakes_of("[1, 2]"), "");
  EXPECT_NE(mistakes_of("a: {command: [x]}\na: {command: [y]}"), "") << "twice";
  EXPECT_EQ(mistakes_of(""), "");
}

TEST(McpServersFile, SaysThatTheFileOfAnotherProgramHasAKeyTooMany) {
  EXPECT_EQ(mistakes_of("mcpServers: {a: {command: [ls]}}"),
            "mcp.yaml:1: server 'mcpServers' has neither `command` nor `url`; this file maps names "
            "to servers: remove that outer key\n");
  EXPECT_TRUE(mistakes_of("a: {env: {X: y}}")
                  .starts_with("mcp.yaml:1: server 'a' has neither `command` nor `url`\n"));
  EXPECT_EQ(mistakes_of("a: {command: [ls], url: 'http://example.com'}"),
            "mcp.yaml:1: server 'a' has both `command` and `url`: keep one\n");
}

}  // namespace
}  // namespace toolway::tools::executors::mcp_client
