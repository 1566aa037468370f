#include "tools/http/http_url.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <memory>

#include "base/digits.h"
#include "base/text.h"
#include "base/try.h"

namespace toolway::tools::http {
namespace {

struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using UrlHandle = std::unique_ptr<CURLU, FreeUrl>;

std::string part_of(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return {};
  std::string copied = text;
  curl_free(text);
  return copied;
}

tl::unexpected<Error> wrong(std::string what) {
  return fail(ErrorCode::kInvalidRequest, std::move(what));
}

/// What is between `//` and the path; empty for a reference without it.
std::string_view authority_of(std::string_view text) {
  const auto slashes = text.find("//");
  if (slashes == std::string_view::npos ||
      text.substr(0, slashes).find_first_of("/?#") != std::string_view::npos) {
    return {};
  }
  const auto rest = text.substr(slashes + 2);
  return rest.substr(0, rest.find_first_of("/?#"));
}

/// libcurl and name servers may read an unusual host differently: one reading, or none.
Result<void> check_letters(std::string_view text) {
  const auto odd = [](char c) {
    return static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7f ||
           std::string_view("\\\"<>^`{|}").find(c) != std::string_view::npos;
  };
  const auto authority = authority_of(text);
  if (authority.find('@') != std::string_view::npos)
    return wrong("a URL with a user name or password is refused");
  if (std::any_of(authority.begin(), authority.end(),
                  [](char c) { return static_cast<unsigned char>(c) >= 0x7f; })) {
    return wrong("the URL's host has letters that are not ASCII: write its xn-- form");
  }
  if (authority.find('%') != std::string_view::npos)
    return wrong("the URL's host has a percent sign or a zone in it");
  const auto found = std::find_if(text.begin(), text.end(), odd);
  if (found == text.end()) return {};
  return wrong(fmt::format("the URL has byte 0x{:02x} at {}, which must be percent-encoded",
                           static_cast<unsigned char>(*found), found - text.begin()));
}

bool host_name(std::string_view host) {
  return !host.empty() && host.size() <= 253 && host.find("..") == std::string_view::npos &&
         host.front() != '.' && std::all_of(host.begin(), host.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
                  c == '_';
         });
}

/// WHATWG URL, "ends in a number": what some resolvers would take for an address.
bool ends_in_number(std::string_view host) {
  const auto last = host.substr(host.rfind('.') + 1);
  if (last.starts_with("0x"))
    return last.find_first_not_of("0123456789abcdef", 2) == std::string_view::npos;
  return is_digits(last);
}

Result<HttpUrl> from_handle(CURLU* url) {
  HttpUrl parsed;
  parsed.scheme = part_of(url, CURLUPART_SCHEME);
  if (parsed.scheme != "http" && parsed.scheme != "https")
    return wrong("the URL's scheme is neither http nor https");
  parsed.host = lowered(part_of(url, CURLUPART_HOST));
  if (parsed.host.ends_with('.')) {
    // `127.0.0.1.` is an address to some, and a name to libcurl.
    parsed.host.pop_back();
    if (parsed.host.ends_with('.') || !host_name(parsed.host) ||
        curl_url_set(url, CURLUPART_URL, (parsed.scheme + "://" + parsed.host).c_str(), 0) !=
            CURLUE_OK) {
      return wrong("the URL's host is not a host name");
    }
    auto bare = from_handle(url);
    RETURN_IF_ERROR(bare);
    parsed.host = bare->host;
  }
  if (parsed.host.starts_with('[') && parsed.host.ends_with(']')) {
    parsed.host = parsed.host.substr(1, parsed.host.size() - 2);
  }
  parsed.address = IpAddress::parse(parsed.host);
  if (parsed.address) {
    parsed.host = parsed.address->text();
    return parsed;
  }
  if (!host_name(parsed.host)) return wrong("the URL's host is not a host name");
  if (!ends_in_number(parsed.host)) return parsed;
  return wrong(
      fmt::format("the URL's host {} ends in a number but is not an address", parsed.host));
}

Result<HttpUrl> read(CURLU* url) {
  // Read first: from_handle may put another host there.
  const auto port = part_of(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
  const auto query = part_of(url, CURLUPART_QUERY);
  auto target = part_of(url, CURLUPART_PATH) + (query.empty() ? "" : "?" + query);
  auto parsed = from_handle(url);
  RETURN_IF_ERROR(parsed);
  if (port.empty() || port == "0") return wrong("the URL's port is not valid");
  parsed->port = static_cast<unsigned>(std::stoul(port));
  parsed->target = std::move(target);
  return parsed;
}

std::string words(CURLUcode code) { return curl_url_strerror(code); }

}  // namespace

Result<HttpUrl> HttpUrl::parse(std::string_view text) {
  RETURN_IF_ERROR(check_letters(text));
  const auto begins = [&](std::string_view scheme) {
    return text.size() > scheme.size() &&
           strncasecmp(text.data(), scheme.data(), scheme.size()) == 0;
  };
  if (!begins("http://") && !begins("https://"))
    return wrong("the URL does not begin with http:// or https://");
  if (authority_of(text).empty()) return wrong("the URL has no host");
  const UrlHandle url(curl_url());
  const auto code =
      curl_url_set(url.get(), CURLUPART_URL, std::string(text).c_str(), CURLU_DISALLOW_USER);
  if (code != CURLUE_OK) return wrong("the URL cannot be read: " + words(code));
  return read(url.get());
}

Result<HttpUrl> HttpUrl::resolve(std::string_view reference) const {
  // Servers send what should be encoded, and every client encodes it for them.
  std::string encoded;
  for (const char c : reference) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) return wrong("the URL has a control character");
    const bool odd = byte == 0x20 || byte > 0x7f ||
                     std::string_view("\"<>^`{|}").find(c) != std::string_view::npos;
    encoded += odd ? fmt::format("%{:02X}", byte) : std::string(1, c);
  }
  RETURN_IF_ERROR(check_letters(encoded));
  const UrlHandle url(curl_url());
  auto code = curl_url_set(url.get(), CURLUPART_URL, text().c_str(), 0);
  if (code == CURLUE_OK)
    code = curl_url_set(url.get(), CURLUPART_URL, encoded.c_str(), CURLU_DISALLOW_USER);
  if (code != CURLUE_OK) return wrong("the URL cannot be read: " + words(code));
  return read(url.get());
}

std::string HttpUrl::origin() const {
  const bool six = address && address->family == IpAddress::Family::kV6;
  const bool usual = port == (scheme == "http" ? 80U : 443U);
  return scheme + "://" + (six ? "[" + host + "]" : host) +
         (usual ? "" : ":" + std::to_string(port));
}

}  // namespace toolway::tools::http
