#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gateway/mcp/change_watch.h"
#include "gateway/mcp/mcp_context.h"
#include "gateway/mcp/rpc_request.h"
#include "gateway/wire/event_stream.h"

namespace toolway::gateway::mcp {

/// What a client is told without having asked for it just now, until it goes or may watch no
/// longer. On the io_context's thread.
class ChangeStream final : public wire::EventStream {
 public:
  struct Messages {
    std::string first{};  ///< empty: there is none
    std::string last{};   ///< when we end it; empty: there is none
  };
  /// Looks every second. An error: it cannot be known now.
  using Look = std::function<loop::Task<Result<Due>>()>;

  ChangeStream(Messages messages, Look look, const Clock& clock, loop::Executor executor);
  loop::Task<Turn> next(std::string& out) override;
  void stop() override;
  void quiet_after(std::chrono::milliseconds silence) override { silence_ = silence; }
  loop::Task<void> left() override { co_return; }

 private:
  const Messages messages_;
  const Look look_;
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
loop::Task<wire::HttpResult<wire::Response>> listen(const RequestScope& of,
                                                    const RpcRequest& request);

}  // namespace toolway::gateway::mcp
