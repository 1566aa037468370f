#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/try.h"
#include "gateway/calls/call_request.h"
#include "gateway/calls/idempotency.h"
#include "gateway/loop/work_pool.h"
#include "gateway/wire/request_body.h"
#include "gateway/wire/routed_request.h"
#include "tools/exports/model_message.h"

/// The bodies of requests with calls: parsed once, on the other threads when they are large.
namespace toolway::gateway::calls {

/// What a request asks for.
template <typename Calls>
struct CallsAsked {
  Calls calls{};
  std::string payload_sha256{};  ///< of a request with an Idempotency-Key; see `payload_digest`
};

/// Whether a body's parsed values take so much memory that only their text is kept while a request
/// waits: `[{},{},…]` takes thirty times its text. Counts what separates values, and takes one for
/// 128 bytes.
bool are_heavy_values(std::string_view text);

/// Keeps the arguments' text only.
void forget_values(CallBody& call);
void forget_values(std::vector<wire::HttpResult<CallBody>>& calls);
void forget_values(std::vector<tools::exports::ModelCall>& calls);

/// On any thread. `keyed_session`: the id of the session, when the request has an Idempotency-Key.
template <typename Calls, typename Parse>
wire::HttpResult<CallsAsked<Calls>> read_calls_here(std::string_view text,
                                                    const std::optional<std::string>& keyed_session,
                                                    const Parse& parse) {
  ASSIGN_OR_RETURN(auto body, wire::parse_any_body(text));
  CallsAsked<Calls> read;
  if (keyed_session) read.payload_sha256 = payload_digest(*keyed_session, body.json);
  ASSIGN_OR_RETURN(read.calls, parse(std::move(body)));
  if (are_heavy_values(text)) forget_values(read.calls);
  return read;
}

/// The body of a request with calls; `parse` makes these of a wire::ParsedBody. Of a body
/// with heavy values the result has the arguments' text only. Errors: malformed_json, `parse`'s,
/// overloaded.
template <typename Calls, typename Parse>
loop::Task<wire::HttpResult<CallsAsked<Calls>>> read_calls(loop::WorkPool& threads,
                                                           const wire::RoutedRequest& routed,
                                                           Parse parse) {
  const std::string_view body = routed.request.body;
  std::optional<std::string> keyed_session;
  if (routed.request.idempotency_key) keyed_session = routed.id;
  if (body.size() <= loop::WorkPool::kSmall) {
    co_return read_calls_here<Calls>(body, keyed_session, parse);
  }
  auto work = [text = std::string(body), keyed_session,
               parse]() -> Result<wire::HttpResult<CallsAsked<Calls>>> {
    return read_calls_here<Calls>(text, keyed_session, parse);
  };
  CO_ASSIGN_OR_RETURN(auto read,
                      co_await threads.run<wire::HttpResult<CallsAsked<Calls>>>(std::move(work)));
  co_return std::move(read);
}

}  // namespace toolway::gateway::calls
