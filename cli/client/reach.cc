#include "cli/client/reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/bearer_token.h"
#include "base/comma_list.h"
#include "base/os/file_io.h"
#include "base/text.h"
#include "base/try.h"
#include "tools/http/http_proxy.h"

namespace toolway::cli::client {
namespace {

using tools::http::HttpEnd;
using tools::http::HttpUrl;
using Why = HttpEnd::Why;

constexpr std::string_view kIsItRunning =
    "Is it running? `toolway dev` starts one here; --url or TOOLWAY_URL names another";

std::string with_scheme(std::string_view text) {
  return text.find("://") == std::string_view::npos ? "http://" + std::string(text)
                                                    : std::string(text);
}

/// As programs read no_proxy: a name covers the hosts below it, too.
std::vector<std::string> exceptions(std::string_view list) {
  std::vector<std::string> except;
  for (const auto& entry : comma_list(list)) {
    except.push_back(entry);
    if (entry.front() != '.' && entry.front() != '*') except.push_back("." + entry);
  }
  return except;
}

std::string certificate_text(HttpEnd::Certificate certificate, const std::string& message) {
  switch (certificate) {
    case HttpEnd::Certificate::kNotSaid:
      return fmt::format("{}. Check that the server speaks https, and --ca-file if you use one",
                         message);
    case HttpEnd::Certificate::kUntrusted:
      return "no authority that is trusted here signed its certificate. If you trust it, name the "
             "authority's certificate: --ca-file FILE, or TOOLWAY_CA_FILE";
    case HttpEnd::Certificate::kExpired:
      return "its certificate has expired. Renew it on the server, and check this machine's clock";
    case HttpEnd::Certificate::kOtherHost:
      return "its certificate is for another host. Use the host name in the certificate as --url";
  }
  return message;
}

std::string proxy_text(const HttpEnd& end) {
  if (end.proxy_status == 407)
    return "the proxy asks for a user name and a password (407). Put them into the environment: "
           "https_proxy=http://USER:PASSWORD@HOST:PORT";
  if (end.proxy_status != 0)
    return fmt::format(
        "the proxy refused to connect to it ({}). Ask the proxy's operator, or name "
        "the host in no_proxy to connect directly",
        end.proxy_status);
  return fmt::format("{}. Check --proxy, http_proxy and https_proxy, or name the host in no_proxy",
                     end.message);
}

/// What libcurl's sentence says besides the URL, which the error has named already.
std::string besides(std::string message, std::string_view url) {
  const auto at = message.find(url);
  if (at == 0) return message.substr(std::min(message.size(), url.size() + 1));
  for (const std::string_view to : {" to ", "TLS with "}) {
    const auto begin =
        at >= to.size() && at != std::string::npos ? at - to.size() : std::string::npos;
    if (begin == std::string::npos || message.compare(begin, to.size(), to) != 0) continue;
    message.erase(begin, to.size() + url.size());
    return message.starts_with(": ") ? message.substr(2) : message;
  }
  return message;
}

std::string what_failed(const HttpEnd& end, std::string_view url, bool proxied) {
  if (end.why == Why::kTlsFailed)
    return certificate_text(end.certificate, besides(end.message, url));
  if (proxied &&
      (end.why == Why::kNotConnected || end.why == Why::kNotResolved || end.proxy_status != 0))
    return proxy_text(end);
  if (end.why == Why::kNotResolved)
    return end.message + ". Check the host's name in --url or TOOLWAY_URL";
  if (end.why == Why::kConnectionLost && !url.starts_with("https://"))
    return "it " + besides(end.message, url) +
           ". If it speaks https, write https:// in --url or TOOLWAY_URL";
  if (end.why == Why::kBadResponse)
    return "what listens there does not speak HTTP as a gateway does. Check --url or TOOLWAY_URL";
  return fmt::format("{}. {}", besides(end.message, url), kIsItRunning);
}

}  // namespace

Result<HttpUrl> gateway_url(std::string_view text) {
  auto url = HttpUrl::parse(with_scheme(text));
  if (!url || url->target.find_first_not_of('/') != std::string::npos)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("{} is not http://HOST:PORT or https://HOST:PORT",
                            text.find('@') == std::string_view::npos ? fmt::format("\"{}\"", text)
                                                                     : "the URL"));
  url->target = "/";
  return std::move(*url);
}

bool is_loopback(const HttpUrl& url) {
  if (url.address) return tools::http::special_purpose(*url.address) == "loopback";
  return url.host == "localhost" || url.host.ends_with(".localhost");
}

Result<std::string> read_token(const Reach& reach) {
  if (reach.token_file.empty())
    return reach.token.empty() ? Result<std::string>()
                               : checked_token(reach.token, "TOOLWAY_API_KEY (or TOOLWAY_TOKEN)");
  // A longer file is seen to be longer.
  const auto text = os::read_file(reach.token_file, kMaxTokenBytes + 3);
  if (!text)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("cannot read the token file {}", reach.token_file));
  return checked_token(*text, "the token file " + reach.token_file);
}

Result<void> check_token_travels(const HttpUrl& url, const tools::http::HttpProxy& proxy) {
  const bool direct = tools::http::proxy_for(proxy, url).empty();
  if (url.scheme == "https" || (is_loopback(url) && direct)) return {};
  return fail(ErrorCode::kInvalidRequest,
              fmt::format("the token was not sent: {} is plain http, where others can read it. "
                          "Use https:// in --url or TOOLWAY_URL, or leave the token out",
                          url.origin()));
}

Result<tools::http::HttpProxy> proxy_of(const Reach& reach, const HttpUrl& url) {
  if (reach.proxy.find('@') != std::string::npos)
    return fail(ErrorCode::kInvalidRequest,
                "--proxy takes no user name or password, which other users of this machine could "
                "read: put the URL into https_proxy (or http_proxy) instead");
  std::string text = reach.proxy;
  if (text.empty() && !is_loopback(url)) {
    const auto& variables = reach.variables;
    text = url.scheme == "https" ? variables.https : variables.http;
    if (text.empty()) text = variables.all;
  }
  if (text.empty()) return tools::http::HttpProxy{};
  tools::http::HttpProxy proxy{.url = with_scheme(text),
                               .except = exceptions(reach.variables.none)};
  if (const auto right = tools::http::check_proxy(proxy); !right)
    return fail(ErrorCode::kInvalidRequest,
                right.error().message + " (--proxy, http_proxy, https_proxy)");
  return proxy;
}

Result<std::shared_ptr<const tools::http::AddressPolicy>> every_address() {
  ASSIGN_OR_RETURN(auto policy, tools::http::AddressPolicy::create({"0.0.0.0/0", "::/0"}));
  return std::make_shared<const tools::http::AddressPolicy>(std::move(policy));
}

Error unreached(const HttpEnd& end, std::string_view url, bool proxied) {
  switch (end.why) {
    case Why::kTimedOut:
      if (end.limit == HttpEnd::Limit::kConnect) break;
      return {ErrorCode::kTimeout, fmt::format("{} did not answer in time", url)};
    case Why::kInvalidRequest: return {ErrorCode::kInvalidRequest, end.message};
    case Why::kInternal: return {ErrorCode::kInternal, end.message};
    case Why::kComplete:
    case Why::kEnough:
    case Why::kCancelled:
    case Why::kAddressRefused:
    case Why::kNotResolved:
    case Why::kNotConnected:
    case Why::kTlsFailed:
    case Why::kConnectionLost:
    case Why::kTooLarge:
    case Why::kRedirectRefused:
    case Why::kBadResponse: break;
  }
  return {ErrorCode::kBusUnavailable,
          fmt::format("cannot reach {}: {}", url, what_failed(end, url, proxied))};
}

}  // namespace toolway::cli::client
