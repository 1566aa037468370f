#include "cli/bench/connections/metrics_page.h"

#include <utility>

#include "base/try.h"
#include "cli/client/http_client.h"

namespace toolway::cli::bench::connections {

Result<std::string> metrics_page(const std::string& url) {
  ASSIGN_OR_RETURN(const auto client,
                   client::HttpClient::create({.url = url.substr(0, url.rfind("/metrics")),
                                               .timeout = std::chrono::seconds(1)}));
  ASSIGN_OR_RETURN(auto answer, client->request("GET", "/metrics"));
  if (!answer.ok()) return fail(ErrorCode::kInvalidRequest, url + ": " + answer.body);
  return std::move(answer.body);
}

}  // namespace toolway::cli::bench::connections
