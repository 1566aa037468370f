// The official MCP servers of a whole stack. In the build only when npm could install them
// (packs/filesystem/package.json, into mcp-servers next to the program).
#include <gtest/gtest.h>

#include <fstream>

#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"

namespace toolway::cli {
namespace {

std::string script_of(const std::string& server) {
  return std::filesystem::path(TOOLWAY_PROGRAM).parent_path() /
         "mcp-servers/node_modules/@modelcontextprotocol" / server / "dist/index.js";
}

/// The pack's file of servers, with the installed server on a directory of the test's.
std::string pack_on(const std::string& directory) {
  auto text = text_of(TOOLWAY_SOURCE_DIR "/packs/filesystem/mcp.yaml");
  const auto begin = text.find("command: [");
  const auto end = text.find(']', begin);
  return text.replace(
      begin, end - begin + 1,
      "command: [node, \"" + script_of("server-filesystem") + "\", \"" + directory + "\"]");
}

class OfficialServers : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(shared);
    std::ofstream(shared + "/a.txt") << "first line\nsecond line\n";
    std::ofstream(dir / "mcp.yaml") << pack_on(shared) << "everything:\n  command: [node, \""
                                    << script_of("server-everything") << "\", stdio]\n";
    dev = std::make_unique<Dev>(
        dir, std::vector<std::string>{"--set", "mcp.servers=" + (dir / "mcp.yaml")});
    auto made = client::HttpClient::create({.url = dev->url(), .user = "e2e"});
    ASSERT_TRUE(made) << dev->log();
    client = *std::move(made);
    ASSERT_TRUE(wait_for([this] {
      return tools().find("\"read_text_file\"") != std::string::npos &&
             tools().find("\"get-sum\"") != std::string::npos;
    }));
    ASSERT_TRUE(client->request("POST", "/v1/sessions",
                                R"({"session_id":"s","namespaces":["files","everything"]})"));
  }
  std::string tools() {
    auto answer = client->request("GET", "/v1/tools");
    return answer ? answer->body : "";
  }
  OrderedJson call(const std::string& tool, const OrderedJson& arguments = OrderedJson::object()) {
    auto answer = client->request("POST", "/v1/sessions/s/calls",
                                  to_text(OrderedJson{{"tool", tool}, {"arguments", arguments}}),
                                  {{"Prefer", "wait=30"}});
    return answer ? answer->json() : OrderedJson{{"outcome", answer.error().message}};
  }

  const test::TempDir dir;
  const std::string shared = dir / "shared";
  std::unique_ptr<Dev> dev;
  std::unique_ptr<client::HttpClient> client;
};

TEST_F(OfficialServers, FilesystemReadsAndWritesInItsDirectoryAndNowhereElse) {
  EXPECT_EQ(tools().find("\"read_file\",\"namespace\":\"files\""), std::string::npos)
      << "left out by the pack";
  EXPECT_NE(to_text(call("files.read_text_file", {{"path", shared + "/a.txt"}})["result"])
                .find("second line"),
            std::string::npos);
  const auto written = call("files.write_file", {{"path", shared + "/b.txt"}, {"content", "new"}});
  EXPECT_EQ(written["outcome"], "succeeded") << written.dump();
  EXPECT_EQ(text_of(shared + "/b.txt"), "new");
  EXPECT_NE(to_text(call("files.list_directory", {{"path", shared}})["result"]).find("b.txt"),
            std::string::npos);
  const auto outside = call("files.read_text_file", {{"path", "/etc/passwd"}});
  EXPECT_EQ(outside["outcome"], "failed");
  EXPECT_EQ(outside["error"]["code"], "mcp_tool_error");
  EXPECT_EQ(call("files.read_text_file", {{"path", 5}}).value("code", ""), "invalid_arguments");
}

TEST_F(OfficialServers, EverythingComesAsItIs) {
  EXPECT_EQ(call("everything.echo", {{"message", "hi"}})["result"], "Echo: hi");
  EXPECT_NE(to_text(call("everything.get-sum", {{"a", 2}, {"b", 3}})["result"]).find('5'),
            std::string::npos);
  const auto image = call("everything.get-tiny-image");
  ASSERT_EQ(image["outcome"], "succeeded") << image.dump();
  bool found = false;
  for (const auto& block : image["content"])
    found = found || (block["type"] == "image" && block["mime_type"] == "image/png");
  EXPECT_TRUE(found) << image.dump().substr(0, 500);
  EXPECT_TRUE(
      call("everything.get-structured-content", {{"location", "New York"}})["result"].is_object());
  EXPECT_EQ(call("everything.get-resource-links", {{"count", 2}})["content"][1]["type"],
            "resource_link");
  const auto running =
      call("everything.trigger-long-running-operation", {{"duration", 1}, {"steps", 4}});
  EXPECT_EQ(running["outcome"], "succeeded") << running.dump();
  auto events =
      client->request("GET", "/v1/calls/" + running["call_id"].get<std::string>() + "/events", "",
                      {{"Accept", "application/json"}});
  ASSERT_TRUE(events);
  EXPECT_NE(events->body.find("\"progress\""), std::string::npos) << events->body;
}

}  // namespace
}  // namespace toolway::cli
