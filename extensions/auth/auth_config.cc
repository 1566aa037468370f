#include "extensions/auth/auth_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/os/file_io.h"
#include "base/try.h"
#include "tools/http/address_policy.h"
#include "tools/http/http_url.h"
#include "tools/specs/fields.h"
#include "tools/specs/trees.h"

namespace toolway::extensions::auth {
namespace {

using tools::specs::Fields;
constexpr std::size_t kMaxIssuers = 50;

/// A person who can change the keys on their way can sign anything.
void check_url(Fields& fields, const std::string& text) {
  const auto url = tools::http::HttpUrl::parse(text);
  if (!url) return fields.wrong("jwks_url", "`jwks_url` is not a URL: https://HOST/PATH");
  const bool here = url->address ? tools::http::special_purpose(*url->address) == "loopback"
                                 : url->host == "localhost";
  if (url->scheme != "https" && !here)
    fields.wrong("jwks_url",
                 "`jwks_url` must be https: over http, others could put their keys in place of "
                 "the issuer's");
}

void read_keys(Fields& fields, KeySource& keys) {
  fields.text("jwks_url", keys.url);
  fields.text("jwks_file", keys.file);
  fields.text("ca_file", keys.ca_file);
  fields.texts("allow_addresses", keys.allow_addresses);
  if (keys.url.empty() == keys.file.empty())
    fields.wrong_whole("an issuer has either `jwks_url` or `jwks_file`");
  if (!keys.url.empty()) check_url(fields, keys.url);
  if (const auto policy = tools::http::AddressPolicy::create(keys.allow_addresses); !policy)
    fields.wrong("allow_addresses", policy.error().message);
}

void read_algorithms(Fields& fields, std::vector<Algorithm>& to) {
  std::vector<std::string> names;
  fields.texts("algorithms", names);
  for (const auto& name : names) {
    if (const auto known = algorithm_named(name)) {
      to.push_back(*known);
    } else {
      fields.wrong("algorithms",
                   fmt::format("algorithm {} cannot be checked here: RS, PS and ES with 256, 384 "
                               "or 512 can",
                               in_quotes(name)));
    }
  }
}

void read_tenant(Fields& fields, IssuerRules& rules) {
  fields.text("tenant", rules.tenant);
  fields.text("tenant_claim", rules.tenant_claim);
  if (rules.tenant.empty() == rules.tenant_claim.empty())
    fields.wrong_whole("an issuer has either `tenant` or `tenant_claim`");
  if (!rules.tenant.empty() && !valid_tenant_id(rules.tenant))
    fields.wrong("tenant", "`tenant` is 1 to 64 characters of [A-Za-z0-9._-]");
}

IssuerConfig read_issuer(const tools::specs::Located& entry, Mistakes& mistakes) {
  IssuerConfig config;
  if (!entry.is_map()) {
    mistakes.add(entry.line, "an issuer must be a mapping with `issuer`, `audience` and keys");
    return config;
  }
  Fields fields(entry, "an issuer", mistakes);
  IssuerRules& rules = config.rules;
  fields.required_text("issuer", rules.issuer);
  if (fields.find("audience") != nullptr && fields.find("audience")->value->is_text()) {
    rules.audiences.emplace_back();
    fields.text("audience", rules.audiences.back());
  } else {
    fields.texts("audience", rules.audiences);
  }
  if (rules.audiences.empty() || rules.audiences.front().empty())
    fields.wrong("audience",
                 "an issuer needs an `audience`: without one, a token made for another service "
                 "would be taken here");
  read_algorithms(fields, rules.algorithms);
  read_keys(fields, config.keys);
  read_tenant(fields, rules);
  fields.text("user_claim", rules.user_claim);
  fields.text("user_prefix", rules.user_prefix);
  fields.text("roles_claim", rules.roles_claim);
  fields.text("namespaces_claim", rules.namespaces_claim);
  fields.texts("roles", rules.roles);
  fields.texts("namespaces", rules.namespaces);
  fields.nothing_else();
  return config;
}

/// Two issuers whose users could be taken for each other's.
bool overlap(const IssuerRules& a, const IssuerRules& b) {
  const bool same_tenant = a.tenant.empty() || b.tenant.empty() || a.tenant == b.tenant;
  return same_tenant &&
         (a.user_prefix.starts_with(b.user_prefix) || b.user_prefix.starts_with(a.user_prefix));
}

void check_apart(const std::vector<IssuerConfig>& issuers, const std::vector<int>& lines,
                 Mistakes& mistakes) {
  for (std::size_t i = 0; i < issuers.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const auto& rules = issuers[i].rules;
      if (rules.issuer == issuers[k].rules.issuer) {
        mistakes.add(lines[i], fmt::format("issuer {} is there twice", in_quotes(rules.issuer)));
      } else if (overlap(rules, issuers[k].rules)) {
        mistakes.add(lines[i],
                     fmt::format("a user of this issuer could be taken for one of {}: give each a "
                                 "`tenant` of its own, or `user_prefix`es that differ",
                                 in_quotes(issuers[k].rules.issuer)));
      }
    }
  }
}

}  // namespace

Result<AuthConfig> read_auth_config(std::string_view text, std::string_view origin) {
  Mistakes mistakes(origin);
  AuthConfig config;
  const auto tree = tools::specs::read_tree(text, mistakes);
  if (tree && tree->is_map()) {
    Fields fields(*tree, "the file", mistakes);
    const auto* list = fields.list("issuers");
    std::vector<int> lines;
    if (list == nullptr || list->members.empty()) {
      fields.wrong_whole("the file must have a list `issuers` with one entry at least");
    } else if (list->members.size() > kMaxIssuers) {
      fields.wrong("issuers", fmt::format("there may be {} issuers at most", kMaxIssuers));
    } else {
      for (const auto& member : list->members) {
        config.issuers.push_back(read_issuer(member.value, mistakes));
        lines.push_back(member.line);
      }
    }
    fields.nothing_else();
    check_apart(config.issuers, lines, mistakes);
  } else if (mistakes.count() == 0) {
    mistakes.add(1, "the file must be a mapping with a list `issuers`");
  }
  if (mistakes.count() == 0) return config;
  std::string told;
  for (const auto& mistake : std::move(mistakes).take())
    told += (told.empty() ? "" : "\n") + mistake.text();
  return fail(ErrorCode::kInvalidRequest, std::move(told));
}

Result<AuthConfig> read_auth_config_file(const std::string& path) {
  const auto text = os::read_file(path);
  if (!text)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("cannot read --auth-config {}: {}", path, text.error().message));
  return read_auth_config(*text, path);
}

}  // namespace toolway::extensions::auth
