#include "extensions/services/known_service.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/os/private_file.h"
#include "base/try.h"
#include "extensions/services/webhook.h"
#include "tools/http/http_url.h"
#include "tools/specs/fields.h"
#include "tools/specs/trees.h"

namespace toolway::extensions::services {
namespace {

using tools::specs::Fields;
using tools::specs::Located;

constexpr std::size_t kMaxServices = 100;
constexpr std::size_t kMaxSecrets = 3;  ///< a new one besides the old one, while they change
constexpr std::size_t kMaxFileBytes = 256UL * 1024;

void read_secrets(Fields& fields, KnownService& service) {
  std::vector<std::string> secrets;
  const auto* value = fields.value("secret");
  if (value != nullptr && value->is_text())
    fields.text("secret", secrets.emplace_back());
  else
    fields.texts("secret", secrets);
  if (secrets.empty() || secrets.size() > kMaxSecrets)
    return fields.wrong(
        "secret", fmt::format("a service has a `secret`, or a list of up to {}", kMaxSecrets));
  for (const auto& secret : secrets) {
    auto key = webhook_key(secret);
    if (!key) return fields.wrong("secret", key.error().message);
    service.keys.push_back(*std::move(key));
  }
}

void read_address(Fields& fields, KnownService& service) {
  std::string text;
  fields.required_text("url", text);
  std::vector<std::string> allowed;
  fields.texts("allow_addresses", allowed);
  auto addresses = tools::http::AddressPolicy::create(allowed);
  if (!addresses) return fields.wrong("allow_addresses", addresses.error().message);
  bool plain = false;
  fields.flag("allow_http", plain);
  if (text.empty()) return;
  const auto url = tools::http::HttpUrl::parse(text);
  if (!url) return fields.wrong("url", fmt::format("`url`: {}", url.error().message));
  if (url->target != "/")
    return fields.wrong("url",
                        "`url` is a scheme, a host and a port, such as "
                        "https://policy.example.com:8443: rules name the path");
  const bool here = url->address ? tools::http::special_purpose(*url->address) == "loopback"
                                 : url->host == "localhost";
  if (url->scheme != "https" && !here && !plain)
    return fields.wrong("url",
                        "over http, others on the way could read calls and answer in the "
                        "service's place: use https, or say `allow_http: true`");
  service.addresses = std::make_shared<const tools::http::AddressPolicy>(*std::move(addresses));
  if (const auto refusal = service.addresses->refusal(*url))
    return fields.wrong("url", fmt::format("{}: name it in `allow_addresses`", *refusal));
  service.origin = url->origin();
}

KnownService read_service(const Located& entry, Mistakes& mistakes) {
  KnownService service;
  Fields fields(entry, "a service", mistakes);
  read_address(fields, service);
  read_secrets(fields, service);
  fields.text("ca_file", service.ca_file);
  fields.only({"url", "secret", "allow_addresses", "allow_http", "ca_file"});
  return service;
}

std::vector<KnownService> read_services(const Located& tree, Mistakes& mistakes) {
  std::vector<KnownService> services;
  Fields fields(tree, "the file", mistakes);
  const auto* list = fields.list("services");
  if (list == nullptr || list->members.empty() || list->members.size() > kMaxServices) {
    fields.wrong_whole(
        fmt::format("the file must have a list `services` with 1 to {} entries", kMaxServices));
    return services;
  }
  fields.nothing_else();
  for (const auto& member : list->members) {
    if (!member.value.is_map()) {
      mistakes.add(member.line,
                   "a service must be a mapping: {url: https://HOST, secret: whsec_…}");
      continue;
    }
    auto service = read_service(member.value, mistakes);
    const bool twice = std::any_of(services.begin(), services.end(), [&](const auto& other) {
      return !service.origin.empty() && other.origin == service.origin;
    });
    if (twice) mistakes.add(member.line, fmt::format("{} is there twice", service.origin));
    services.push_back(std::move(service));
  }
  return services;
}

}  // namespace

Result<std::vector<KnownService>> read_known_services(std::string_view text,
                                                      std::string_view origin) {
  Mistakes mistakes(origin);
  std::vector<KnownService> services;
  const auto tree = tools::specs::read_tree(text, mistakes);
  if (tree && tree->is_map())
    services = read_services(*tree, mistakes);
  else if (mistakes.count() == 0)
    mistakes.add(1, "the file must be a mapping with a list `services`");
  if (mistakes.count() == 0) return services;
  std::string told;
  for (const auto& mistake : std::move(mistakes).take())
    told += (told.empty() ? "" : "\n") + mistake.text();
  return fail(ErrorCode::kInvalidRequest, std::move(told));
}

Result<std::vector<KnownService>> read_known_services_file(const std::string& path) {
  ASSIGN_OR_RETURN(const auto text,
                   os::read_private_file(path, kMaxFileBytes, os::Readers::kGroup));
  return read_known_services(text, path);
}

}  // namespace toolway::extensions::services
