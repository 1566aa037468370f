#pragma once

#include <functional>
#include <optional>
#include <stop_token>

#include "chat/engine/engine_config.h"
#include "chat/engine/memory.h"
#include "chat/window/window.h"

namespace toolway::chat::engine {

/// Has a model summarize what requests of a turn leave out, and says what requests have in its
/// place. Of one turn, on its thread.
class Summarizer {
 public:
  /// All outlive it. `store`: stores a message.
  struct Parts {
    const Memory& memory;
    providers::Provider& provider;
    const EngineConfig& config;
    const window::Estimate& estimate;
    std::function<Result<void>(tools::messages::Message)> store;
    tools::messages::Usage& usage;  ///< of the turn: its requests are added
  };
  explicit Summarizer(Parts parts) : parts_(std::move(parts)) {}

  /// The summary as it is sent; nothing: there is none, or none is wanted.
  std::optional<tools::messages::Message> sent() const;
  /// Whether the prompt to go on is sent.
  bool goes_on() const;
  /// Of a request of `tokens`.
  window::Bounds bounds(std::uint64_t tokens, const window::ToolListPtr& tools) const;
  /// Summarizes what requests of `tokens` leave out, and stores that. False: it could not be
  /// summarized, so it is left out. Errors: of `store`.
  Result<bool> summarize(std::uint64_t tokens, const window::ToolListPtr& tools,
                         const Events& events, const std::stop_token& stop) const;

 private:
  /// Nothing: it could not be summarized.
  std::optional<tools::messages::Message> ask(const window::Window& left_out, std::uint64_t tokens,
                                              const std::stop_token& stop) const;

  const Parts parts_;
};

}  // namespace toolway::chat::engine
