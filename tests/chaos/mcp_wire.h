#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "cli/client/http_client.h"
#include "tests/chaos/entrance.h"
#include "tests/chaos/mcp_face.h"
#include "tools/http/http_engine.h"

namespace toolway::chaos {

/// Carries messages of MCP to a gateway and back. One thread.
class McpWire {
 public:
  McpWire(const Entrance& entrance, std::string user)
      : entrance_(entrance), user_(std::move(user)) {}

  struct Sent {
    std::string gateway;
    std::string target;
    std::string body{};  ///< empty: a GET
    HeaderMap headers{};
    std::chrono::milliseconds first_byte{8000};
    std::chrono::milliseconds silence{20000};
    /// It lets go with the next bytes, which comments are, too.
    std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
  };
  struct Reply {
    int status = 0;             ///< 0: none came
    std::string mcp_session{};  ///< MCP-Session-Id
    std::string last_id{};      ///< of the stream: of what came last
    OrderedJson json{};         ///< of what is not a stream
    std::string end{};          ///< in words
    bool let_go = false;
  };
  /// Gets each message with the id of its event (empty: none); false: it lets go.
  using Take = std::function<bool(const OrderedJson& message, const std::string& sse_id)>;
  Reply send(const Sent& sent, const Take& take);

 private:
  const Entrance& entrance_;
  const std::string user_;
  std::shared_ptr<tools::http::HttpEngine> engine_;
};

}  // namespace toolway::chaos
