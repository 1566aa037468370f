#include "tools/http/redirect.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>

namespace toolway::tools::http {
namespace {

bool same_name(const HttpHeader& header, std::string_view name) {
  return header.name.size() == name.size() &&
         strncasecmp(header.name.data(), name.data(), name.size()) == 0;
}

template <std::size_t N>
void drop(HttpHeaders& headers, const std::string_view (&names)[N]) {
  std::erase_if(headers, [&](const HttpHeader& header) {
    return std::any_of(std::begin(names), std::end(names),
                       [&](auto name) { return same_name(header, name); });
  });
}

constexpr std::string_view kCredentials[] = {
    "authorization", "proxy-authorization", "cookie", "host", "origin", "referer"};
constexpr std::string_view kOfBody[] = {"content-type",     "content-length",   "content-encoding",
                                        "content-language", "content-location", "digest",
                                        "transfer-encoding"};

tl::unexpected<Error> refuse(std::string what) {
  return fail(ErrorCode::kPermissionDenied, std::move(what));
}

}  // namespace

bool redirects(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool host_listed(const std::vector<std::string>& hosts, std::string_view host) {
  return std::any_of(hosts.begin(), hosts.end(), [&](std::string_view entry) {
    return entry == "*" || entry == host ||
           (entry.starts_with("*.") && host.ends_with(entry.substr(1)));
  });
}

Result<HttpHop> follow_redirect(const HttpHop& from, int status, std::string_view location,
                                const HttpRedirects& rules) {
  auto url = from.url.resolve(location);
  if (!url) {
    return refuse(fmt::format("a redirect of {} has no usable URL: {}", from.url.origin(),
                              url.error().message));
  }
  if (from.url.scheme == "https" && url->scheme == "http" &&
      rules.downgrade == HttpRedirects::Downgrade::kRefused) {
    return refuse(
        fmt::format("{} redirects to {}, from https to http", from.url.origin(), url->origin()));
  }
  if (!rules.hosts.empty() && !host_listed(rules.hosts, url->host)) {
    return refuse(fmt::format("{} redirects to {}, which is not one of the allowed hosts",
                              from.url.origin(), url->host));
  }
  HttpHop next{
      .method = from.method, .url = std::move(*url), .headers = from.headers, .body = from.body};
  const bool to_get = (status == 303 && from.method != "HEAD") ||
                      ((status == 301 || status == 302) && from.method == "POST");
  if (to_get) {
    next.method = "GET";
    next.body.reset();
    drop(next.headers, kOfBody);
  }
  if (next.url.origin() == from.url.origin()) return next;
  if (next.body && !next.body->empty()) {
    return refuse(fmt::format("{} redirects to {} and wants the request's body to go there",
                              from.url.origin(), next.url.origin()));
  }
  drop(next.headers, kCredentials);
  std::erase_if(next.headers, [](const HttpHeader& header) {
    return header.holds == HttpHeader::Holds::kSecret;
  });
  return next;
}

}  // namespace toolway::tools::http
