#pragma once

#include <string>

#include "gateway/mcp/mcp_context.h"

namespace toolway::gateway::mcp {

/// `params.inputResponses` as answers. Errors: why they are none, in words.
tl::expected<calls::Answers, std::string> read_answers(const Json& responses);

/// Answers a tool for a client that is not told what became of its answers: what was not asked, or
/// was answered before, is left out, as everything is when the call has ended. A call between two
/// attempts takes no answers, and asks nothing again when it has started: it is waited for, 10 s
/// at most. Errors: invalid_request, payload_too_large, not_asked (it has not started by then), and
/// the bus's and the store's.
loop::Task<wire::HttpResult<void>> give_answers(const McpPorts& ports, wire::Caller caller,
                                                std::string call_id, calls::ToAnswer given);

/// The answers of a request that is sent again with them: those that are none to their questions
/// are left out, and asked for again. The last event of the call's log; nothing: none could be
/// written just then, and its stream says the rest. Errors: as above.
loop::Task<wire::HttpResult<std::optional<v1::CallEvent>>> give_retried(const McpPorts& ports,
                                                                        wire::Caller caller,
                                                                        std::string call_id,
                                                                        calls::Answers answers);

/// Decides about a held call as an answer to `approval_question` says. One that comes too late, or
/// says neither yes nor no, counts for nothing; one that is refused is noted as over REST. Returns
/// why it cannot be one. Errors: the bus's and the store's.
loop::Task<wire::HttpResult<std::optional<std::string>>> give_approval(const McpPorts& ports,
                                                                       wire::Caller caller,
                                                                       std::string call_id,
                                                                       Json answer);

}  // namespace toolway::gateway::mcp
