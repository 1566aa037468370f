#pragma once

#include "base/clock.h"
#include "bus/switch_board.h"
#include "gateway/loop/async_bus.h"
#include "gateway/wire/routed_request.h"
#include "tools/model/live_registry.h"

namespace toolway::gateway::endpoints {

/// What switching tools off and on needs.
struct SwitchesContext {
  loop::AsyncBus& bus;
  const bus::SwitchBoard& board;
  const tools::model::LiveRegistry& registry;
  const Clock& clock;
};

/// As this gateway knows it.
loop::Task<wire::HttpResult<wire::Response>> list_switches(const SwitchesContext& context,
                                                           const wire::RoutedRequest& routed);
/// Answers once this gateway acts by it; the others do within a second. Errors: of the request;
/// unknown_tool; wrong_last_sequence: another writer was faster; the bus's.
loop::Task<wire::HttpResult<wire::Response>> switch_off(const SwitchesContext& context,
                                                        const wire::RoutedRequest& routed);
loop::Task<wire::HttpResult<wire::Response>> switch_on(const SwitchesContext& context,
                                                       const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
