#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gateway/mcp/mcp_context.h"
#include "gateway/mcp/rpc_request.h"
#include "gateway/wire/event_stream.h"

namespace toolway::gateway::mcp {

/// What a client may learn of without having asked for it just now.
struct Watched {
  std::string digest;  ///< of the tools that its session offers it
  bool over = false;   ///< it may not watch any longer
};

/// What a client is told when its list of tools or one of its tasks has changed, until it goes or
/// may watch no longer. On the io_context's thread.
class ChangeStream final : public wire::EventStream {
 public:
  struct Messages {
    std::string first{};    ///< empty: there is none
    std::string changed{};  ///< empty: it does not want to know
    std::string last{};     ///< when we end it; empty: there is none
  };
  /// Looks every second. An error: it cannot be known now.
  using Look = std::function<loop::Task<Result<Watched>>()>;
  /// Messages about anything else, asked for as often; empty: there is nothing else.
  using News = std::function<loop::Task<std::vector<std::string>>()>;

  ChangeStream(Messages messages, std::string digest, Look look, News news, const Clock& clock,
               loop::Executor executor);
  loop::Task<Turn> next(std::string& out) override;
  void stop() override;
  void quiet_after(std::chrono::milliseconds silence) override { silence_ = silence; }
  loop::Task<void> left() override { co_return; }

 private:
  const Messages messages_;
  std::string digest_;  ///< that its client knows
  const Look look_;
  const News news_;
  const Clock& clock_;
  loop::Timer timer_;
  std::chrono::milliseconds silence_{std::chrono::seconds(15)};
  bool begun_ = false;
  bool stopped_ = false;
  bool over_ = false;
  bool ended_ = false;  ///< its last message was sent
};

/// `GET`: what happens without a request, or the rest of a stream that broke (2025-11-25,
/// basic/transports, "Listening for Messages from the Server").
loop::Task<wire::HttpResult<wire::Response>> get_mcp(const McpContext& context,
                                                     const McpPorts& ports,
                                                     const wire::RoutedRequest& routed);

/// `subscriptions/listen` (2026-07-28, basic/patterns/subscriptions).
loop::Task<wire::HttpResult<wire::Response>> listen(const McpContext& context,
                                                    const McpPorts& ports,
                                                    const wire::RoutedRequest& routed,
                                                    const RpcRequest& request);

}  // namespace toolway::gateway::mcp
