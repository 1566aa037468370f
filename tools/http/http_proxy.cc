#include "tools/http/http_proxy.h"

#include <algorithm>

namespace toolway::tools::http {
namespace {

bool excepts(std::string_view entry, const HttpUrl& url) {
  if (entry == "*") return true;
  if (const auto network = IpNetwork::parse(entry))
    return url.address && network->contains(*url.address);
  if (entry.starts_with("*.")) entry.remove_prefix(1);
  if (!entry.starts_with('.')) return url.host == entry;
  return url.host.ends_with(entry) || url.host == entry.substr(1);
}

}  // namespace

std::string proxy_for(const HttpProxy& proxy, const HttpUrl& url) {
  const bool direct = std::any_of(proxy.except.begin(), proxy.except.end(),
                                  [&](const auto& entry) { return excepts(entry, url); });
  return direct ? std::string() : proxy.url;
}

Result<void> check_proxy(const HttpProxy& proxy) {
  if (proxy.url.empty()) return {};
  for (const std::string_view scheme : {"http://", "https://", "socks5h://"}) {
    if (!proxy.url.starts_with(scheme)) continue;
    // The host as any other; the name and password before it are the proxy's.
    auto rest = std::string_view(proxy.url).substr(scheme.size());
    if (const auto at = rest.rfind('@'); at != std::string_view::npos) rest.remove_prefix(at + 1);
    const auto host = HttpUrl::parse("http://" + std::string(rest));
    if (!host || host->target != "/") {
      return fail(ErrorCode::kInvalidSpec,
                  "the proxy's URL has no host, or more than a host and a port");
    }
    return {};
  }
  return fail(ErrorCode::kInvalidSpec,
              "a proxy must be http://, https:// or socks5h://, with host and port");
}

}  // namespace toolway::tools::http
