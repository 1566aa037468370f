#pragma once

#include <memory>
#include <optional>
#include <string>

#include "chat/engine/tool_box.h"
#include "cli/client/http_client.h"

namespace toolway::cli::talk {

/// The tools of a session, over a gateway's HTTP: `GET …/tools` and `POST …/tool_calls`.
/// `inline_ms`: how long a call may take before its result says that it is still running. Calls of
/// a stopped turn are cancelled. `on_behalf`: the token of a turn, in whose name all is done;
/// empty: none.
std::unique_ptr<chat::engine::ToolBox> make_gateway_tools(client::ClientOptions http,
                                                          const std::string& session,
                                                          unsigned inline_ms,
                                                          const std::string& on_behalf = {});

/// The results in an answer of `tool_calls`. Pure.
std::vector<chat::history::CallResult> results_in(const OrderedJson& answer);

/// What `GET /v1/calls/{id}` says of a call that has ended; nothing: it runs, or cannot be told.
std::optional<chat::engine::EndedCall> ended_call(const std::string& id,
                                                  const client::HttpAnswer& answer);

/// The last report in a page of `GET /v1/calls/{id}/events`; nothing: it has none. Pure.
std::optional<chat::engine::CallProgress> newest_report(const std::string& id,
                                                        const OrderedJson& events);

}  // namespace toolway::cli::talk
