#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/text_memo.h"
#include "chat/engine/tool_box.h"
#include "cli/client/http_client.h"
#include "tools/exports/api_names.h"

namespace toolway::cli::talk {

/// Tools as gateways listed them, shared by all turns of a process: most have the same ones.
struct KnownTools {
  static constexpr std::size_t kMaxBytes = 8UL * 1024 * 1024;  ///< of each kind, as JSON
  TextMemo<chat::window::ToolList> lists{kMaxBytes};
  TextMemo<tools::exports::ApiNames> names{kMaxBytes};
};

/// The tools of a session, over a gateway's HTTP: `GET …/tools` and `POST …/tool_calls`. A list of
/// them is used for a second. `inline_ms`: how long a call may take before its result says that it
/// is still running. Calls of a stopped turn are cancelled. `clock` outlives it.
std::unique_ptr<chat::engine::ToolBox> make_gateway_tools(
    client::ClientOptions http, const std::string& session, unsigned inline_ms, const Clock& clock,
    std::shared_ptr<KnownTools> known = std::make_shared<KnownTools>());

/// The results in an answer of `tool_calls`. Pure.
std::vector<tools::messages::CallResult> results_in(const OrderedJson& answer);

/// What `GET /v1/calls/{id}` says of a call that has ended; nothing: it runs, or cannot be told.
std::optional<chat::engine::EndedCall> ended_call(const std::string& id,
                                                  const client::HttpAnswer& answer);

/// Whether a model made the call that is an answer of `GET /v1/calls/{id}`: in a turn, over MCP, or
/// in a client's own loop.
bool made_by_model(const client::HttpAnswer& call);

/// The last report in a page of `GET /v1/calls/{id}/events`; nothing: it has none. Pure.
std::optional<chat::engine::CallProgress> newest_report(const std::string& id,
                                                        const OrderedJson& events);

}  // namespace toolway::cli::talk
