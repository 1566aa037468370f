// Arbitrary bytes as what servers and callers send of HTTP: an event stream and JSON lines cut in
// two, a URL, a Location, values of a template. Nothing may crash; what is cut elsewhere must read
// the same; a URL that is taken must be one that is taken again, with the same host; a value must
// stay in its place.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tools/executors/http/http_retry.h"
#include "tools/http/address_policy.h"
#include "tools/http/ndjson_reader.h"
#include "tools/http/redirect.h"
#include "tools/http/sse_reader.h"
#include "tools/templates/http_text.h"

namespace {

using namespace toolway;
using namespace toolway::tools;

std::string events(std::string_view one, std::string_view two) {
  std::string seen;
  toolway::tools::http::SseReader reader(
      [&](const toolway::tools::http::SseEvent& event) {
        seen += event.id + "\x1f" + event.type + "\x1f" + event.data + "\x1e";
      },
      1000);
  if (reader.feed(one) && reader.feed(two)) seen += "ok";
  return seen;
}

std::string lines(std::string_view one, std::string_view two) {
  std::string seen;
  toolway::tools::http::NdjsonReader reader(
      [&](const toolway::Json& value) { seen += toolway::to_text(value) + "\x1e"; }, 1000);
  if (reader.feed(one) && reader.feed(two) && reader.finish()) seen += "ok";
  return seen;
}

void check_url(std::string_view text) {
  const auto url = toolway::tools::http::HttpUrl::parse(text);
  if (!url) return;
  toolway::tools::http::AddressPolicy().refusal(*url);
  const auto again = toolway::tools::http::HttpUrl::parse(url->text());
  if (!again || again->host != url->host || again->port != url->port ||
      again->address != url->address)
    std::abort();
}

void check_values(std::string_view text) {
  const toolway::Json arguments = {{"v", std::string(text)}};
  const toolway::Json defaults = toolway::Json::object();
  const toolway::tools::templates::HttpValues source{
      .arguments = {arguments, defaults},
      .secret = [](const std::string&) { return std::nullopt; }};
  static const auto path = *toolway::tools::templates::parse_argument_template("/a/{v}/b");
  if (const auto rendered = toolway::tools::templates::render_path(path, source)) {
    const auto url = toolway::tools::http::HttpUrl::parse("https://example.com" + *rendered);
    if (!url || url->host != "example.com" || url->target != *rendered) std::abort();
  }
  static const auto value = *toolway::tools::templates::parse_argument_template("{v}");
  if (const auto rendered = toolway::tools::templates::render_part(
          value, source, toolway::tools::templates::HttpPlace::kHeader);
      rendered && !toolway::tools::http::valid_header_value(**rendered))
    std::abort();
  if (const auto rendered = toolway::tools::templates::render_part(
          value, source, toolway::tools::templates::HttpPlace::kQuery);
      rendered && (*rendered)->find_first_of("&=#?/ \r\n") != std::string::npos)
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto cut = size == 0 ? 0 : data[0] % size;
  if (events(text, "") != events(text.substr(0, cut), text.substr(cut))) std::abort();
  if (lines(text, "") != lines(text.substr(0, cut), text.substr(cut))) std::abort();
  check_url(text);
  check_url("http://" + std::string(text));
  static const toolway::tools::http::HttpHop from{
      .method = "GET",
      .url = *toolway::tools::http::HttpUrl::parse("https://example.com/d/x?q"),
      .headers = {},
      .body = {}};
  if (const auto next = toolway::tools::http::follow_redirect(from, 302, text, {}))
    check_url(next->url.text());
  check_values(text);
  toolway::tools::executors::http::parse_retry_after(text,
                                                     std::chrono::system_clock::from_time_t(0));
  (void)toolway::tools::templates::parse_argument_template(
      text, toolway::tools::templates::SecretPlaceholders::kAllowed);
  return 0;
}
