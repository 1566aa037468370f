#include "cli/mcp_serve/tool_lister.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/try.h"
#include "cli/client/http_client.h"
#include "cli/mcp_serve/answer_reader.h"
#include "mcp/client_messages.h"
#include "mcp/http_headers.h"
#include "tools/executors/mcp_client/tool_listing.h"

namespace toolway::cli::mcp_serve {
namespace {

using tools::executors::mcp_client::ToolListing;

constexpr std::chrono::seconds kFirstByte{30};

Result<std::string> ask(client::HttpClient& http, const Reached& reached, mcp::Revision revision,
                        const mcp::Request& request, const std::stop_token& stop) {
  client::HttpClient::Headers headers{{"Accept", "application/json, text/event-stream"}};
  for (auto& [name, value] : mcp::request_headers(revision, request.method, request.params))
    headers[name] = std::move(value);
  std::string answer;
  SaidBefore said;
  AnswerReader reader(request.id, said,
                      {.write = [&answer](const std::string& line) { answer = line; }});
  RETURN_IF_ERROR(http.post({.target = reached.path,
                             .body = mcp::encode(request),
                             .headers = std::move(headers),
                             .first_byte = kFirstByte,
                             .silence = kSilence,
                             .stop = stop},
                            reader));
  reader.end();
  if (reader.answered()) return answer;
  return fail(ErrorCode::kBusUnavailable,
              fmt::format("the gateway listed no tools: HTTP {}", reader.status()));
}

}  // namespace

Result<std::vector<mcp::ToolDefinition>> list_tools(const Reached& reached, mcp::Revision revision,
                                                    const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const auto http, client::HttpClient::create(reached.http));
  const mcp::ClientMessages messages(revision, {.name = "toolway-mcp-serve", .version = "1"});
  ToolListing listing;
  for (std::int64_t page = 1;; ++page) {
    ASSIGN_OR_RETURN(const auto answer, ask(*http, reached, revision,
                                            messages.list_tools(page, listing.cursor()), stop));
    ASSIGN_OR_RETURN(const auto next, listing.take(answer));
    if (next == ToolListing::Next::kDone) return std::move(listing).listed(revision, {}).tools;
  }
}

}  // namespace toolway::cli::mcp_serve
