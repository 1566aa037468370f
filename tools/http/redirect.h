#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/http/http_message.h"

namespace toolway::tools::http {

/// One request to one server.
struct HttpHop {
  std::string method;
  HttpUrl url;
  HttpHeaders headers;
  std::optional<std::string> body;
};

/// A status that redirects by its Location header (RFC 9110 §15.4).
bool redirects(int status);

/// Whether a host is in a list of names, `*.name` and `*`.
bool host_listed(const std::vector<std::string>& hosts, std::string_view host);

/// The next request. 303 becomes GET (HEAD stays), 301 and 302 make GET of POST, 307 and 308 change
/// nothing. To another origin go neither credentials nor what holds a secret.
/// Errors: kPermissionDenied, in words, when the redirect is not allowed.
Result<HttpHop> follow_redirect(const HttpHop& from, int status, std::string_view location,
                                const HttpRedirects& rules);

}  // namespace toolway::tools::http
