#pragma once

#include <fmt/format.h>

#include <functional>

#include "tests/integration/gateway/auth_fixture.h"

namespace toolway::test {

inline constexpr const char* kRevision = "2026-07-28";
inline constexpr const char* kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{}})";

/// A request of one era, or of none.
inline std::string message(std::string_view method, std::string_view params = "",
                           std::string_view id = "1") {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"{}","params":{{{}}}}})", id, method,
                     params);
}

inline std::string with_meta(std::string_view params) {
  return params.empty() ? kMeta : fmt::format("{},{}", params, kMeta);
}

/// The headers of 2026-07-28; empty: left out.
inline std::string modern(std::string_view method, std::string_view name = "",
                          std::string_view revision = kRevision) {
  std::string headers;
  if (!revision.empty()) headers += fmt::format("mcp-protocol-version: {}\r\n", revision);
  if (!method.empty()) headers += fmt::format("mcp-method: {}\r\n", method);
  if (!name.empty()) headers += fmt::format("mcp-name: {}\r\n", name);
  return headers;
}

inline std::string named(std::string_view header, std::string_view value) {
  return fmt::format("{}: {}\r\n", header, value);
}

/// What an answer says, shortly: `401 unauthenticated` of a problem, `400 -32600` of the protocol,
/// `200 isError invalid_arguments` of a result that a model reads, `200 result` of another one.
inline std::string said(const std::string& answer) {
  const auto code = fmt::format("{} ", status(answer));
  const auto at = answer.find("\r\n\r\n");
  const auto json = at == std::string::npos ? Result<Json>(fail(ErrorCode::kInternal, "none"))
                                            : parse_json(std::string_view(answer).substr(at + 4));
  if (!json || !json->is_object()) return code + "nothing";
  if (json->contains("code")) return code + (*json)["code"].get<std::string>();
  if (json->contains("error")) return code + (*json)["error"]["code"].dump();
  const auto& result = (*json)["result"];
  if (result.is_object() && result.value("isError", false))
    return code + "isError " + result["_meta"].value("toolway/code", "?");
  return code + "result";
}

struct Case {
  std::string name;
  std::string expected;
  std::string body;
  std::string headers{};  ///< besides Ann's key
  std::string line = "POST /mcp";
};

class HostileMcp : public AskingGateway {
 protected:
  void SetUp() override {
    AskingGateway::SetUp();
    ann_ = bearer(add_key("ann"));
    bob_ = bearer(add_key("bob"));
    anns_ = handshake(ann_, "/mcp");
    bobs_ = handshake(bob_, "/mcp");
    ASSERT_FALSE(anns_.empty() || bobs_.empty());
    ASSERT_EQ(201, status(ask("POST /v1/sessions", R"({"session_id":"none","namespaces":["time"]})",
                              ann_)));
    ASSERT_EQ(201, status(ask("POST /v1/sessions", R"({"session_id":"over"})", ann_)));
    overs_ = handshake(ann_, "/mcp/over");
    ASSERT_EQ(200, status(ask("POST /v1/sessions/over/close", "{}", ann_)));
    nones_ = handshake(ann_, "/mcp/none");
  }
  std::string handshake(const std::string& credential, const std::string& path) {
    const auto answer =
        ask("POST " + path, message("initialize", R"("protocolVersion":"2025-11-25")"), credential);
    EXPECT_EQ(status(answer), 200) << answer;
    const std::string header = "\r\nmcp-session-id: ";
    const auto at = answer.find(header);
    if (at == std::string::npos) return {};
    const auto begin = at + header.size();
    return answer.substr(begin, answer.find("\r\n", begin) - begin);
  }
  std::string session(const std::string& id) const { return named("mcp-session-id", id); }
  std::string own() const { return session(anns_); }

  void run(const std::vector<Case>& cases) {
    for (const auto& one : cases) {
      const auto credential =
          one.headers.find("authorization:") == std::string::npos ? ann_ : std::string();
      const auto answer = ask(one.line, one.body, credential + one.headers);
      EXPECT_EQ(said(answer), one.expected) << one.name << "\n" << answer.substr(0, 600);
      ++ran_;
    }
    expect_no_call();
  }
  void expect_no_call() {
    memory_->quiesce();
    Awaited<Result<bus::StoredMessage>> got;
    memory_->next_message(proto::kCallsStream, "call.>", 1, bus::ReadFrom::kLeader, got.callback());
    const auto found = got.next();
    ASSERT_TRUE(found);
    EXPECT_FALSE(*found) << "something was accepted";
  }

  std::string ann_;
  std::string bob_;
  std::string anns_;
  std::string bobs_;
  std::string nones_;
  std::string overs_;
  std::size_t ran_ = 0;
};

inline std::string edited(std::string text, std::size_t at) {
  text[at] = text[at] == 'A' ? 'B' : 'A';
  return text;
}

}  // namespace toolway::test
