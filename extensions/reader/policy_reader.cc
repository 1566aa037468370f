#include "extensions/reader/policy_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ids.h"
#include "base/sha256.h"
#include "extensions/auth/issuer.h"
#include "extensions/reader/pattern_reader.h"
#include "extensions/reader/rule_reader.h"
#include "tools/matching/tool_pattern.h"
#include "tools/specs/trees.h"

namespace toolway::extensions::reader {
namespace {

using tools::specs::Fields;
using tools::specs::Located;

constexpr std::size_t kMaxRules = 1000;
constexpr std::size_t kMaxRoles = 200;
constexpr std::size_t kMaxUsers = 10'000;
constexpr std::size_t kMaxTenants = 10'000;
constexpr std::string_view kCall = "call:";
/// What a file on the network must not be able to say.
constexpr std::array<std::string_view, 5> kRootsOfTrust{"auth", "issuers", "jwks", "keys",
                                                        "tokens"};

class PolicyReader {
 public:
  PolicyReader(std::span<const ExtensionType> types, Mistakes& mistakes)
      : types_(types), mistakes_(mistakes) {}

  Policy read(const Located& top) {
    if (top.shape == Located::Shape::kScalar && top.scalar.is_null()) return {};
    if (!top.is_map()) {
      mistakes_.add(top.line,
                    "the file must be a mapping: `roles`, `users`, `default_roles`, `tenants`, "
                    "`rules`, `extensions`, `patterns`, `log`");
      return {};
    }
    Fields fields(top, "the file", mistakes_);
    if (const auto* roles = fields.map("roles")) read_roles(*roles);
    read_users(fields);
    policy_.default_roles = role_names(fields, "default_roles");
    if (const auto* tenants = fields.map("tenants")) read_tenants(*tenants);
    read_rules(fields);
    if (const auto* extensions = fields.map("extensions")) read_extensions(*extensions);
    policy_.patterns = read_patterns(fields);
    if (const auto* log = fields.map("log")) policy_.log = read_log(*log, mistakes_);
    refuse_roots_of_trust(top, fields);
    fields.nothing_else();
    return std::move(policy_);
  }

 private:
  void read_roles(const Located& map) {
    auto& roles = policy_.roles.emplace();
    if (map.members.size() > kMaxRoles)
      mistakes_.add(map.line,
                    fmt::format("`roles` has {}; the limit is {}", map.members.size(), kMaxRoles));
    for (const auto& member : map.members) {
      check_name(member.key, "a role", member.line, mistakes_);
      if (!member.value.is_map()) {
        mistakes_.add(member.line, "a role must be a mapping: {permissions: [call:web.*]}");
        continue;
      }
      Fields role(member.value, "a role", mistakes_);
      auto permissions = read_texts(role, "permissions", mistakes_);
      if (role.find("permissions") == nullptr)
        mistakes_.add(member.line, "the role has no `permissions`");
      for (const auto& permission : permissions)
        check_permission(permission, role.line_of("permissions"));
      role.nothing_else();
      roles.emplace(member.key, std::move(permissions));
    }
  }

  void check_permission(std::string_view permission, int line) {
    if (permission.empty()) return mistakes_.add(line, "a permission is empty");
    const auto star = permission.find('*');
    const auto colon = permission.find(':');
    if (permission.starts_with(kCall) &&
        !tools::matching::valid_tool_pattern(permission.substr(kCall.size())))
      return mistakes_.add(line, fmt::format("{}: after `call:` comes namespace.name, a pattern "
                                             "such as web.*, or *",
                                             in_quotes(permission)));
    if (permission != "*" && colon != std::string_view::npos && star < colon)
      mistakes_.add(line,
                    fmt::format("{}: write out what is before the colon", in_quotes(permission)));
  }

  /// A list of roles that the policy has.
  std::vector<std::string> role_names(Fields& fields, std::string_view name) {
    auto roles = read_texts(fields, name, mistakes_);
    if (fields.find(name) == nullptr) return roles;
    if (!policy_.roles)
      fields.wrong(name, fmt::format("`{}` needs `roles`, which say what each may do", name));
    check_roles(roles, fields.line_of(name), policy_, mistakes_);
    return roles;
  }

  void read_users(Fields& fields) {
    const auto* users = fields.list("users");
    if (users == nullptr) return;
    if (users->members.size() > kMaxUsers)
      fields.wrong("users",
                   fmt::format("`users` has {}; the limit is {}: give roles to keys or tokens",
                               users->members.size(), kMaxUsers));
    for (const auto& item : users->members) {
      if (!item.value.is_map()) {
        mistakes_.add(item.line, "a user must be a mapping: {user: ann, roles: [agent]}");
        continue;
      }
      Fields user(item.value, "a user", mistakes_);
      std::string id;
      std::string tenant = "default";
      user.required_text("user", id);
      user.text("tenant", tenant);
      if (!id.empty() && !valid_opaque(id)) user.wrong("user", "`user` is not a user's id");
      if (user.find("roles") == nullptr) mistakes_.add(item.line, "the user has no `roles`");
      auto roles = role_names(user, "roles");
      user.nothing_else();
      if (!policy_.users.emplace(std::pair(tenant, id), std::move(roles)).second)
        mistakes_.add(item.line, fmt::format("{} is in the list already", in_quotes(id)));
    }
  }

  void read_tenants(const Located& map) {
    if (map.members.size() > kMaxTenants)
      mistakes_.add(map.line, fmt::format("`tenants` has {}; the limit is {}", map.members.size(),
                                          kMaxTenants));
    for (const auto& member : map.members) {
      if (!auth::valid_tenant_id(member.key))
        mistakes_.add(member.line,
                      fmt::format("{} is not a tenant: use 1 to 64 of A-Z a-z 0-9 . _ -",
                                  in_quotes(member.key)));
      if (!member.value.is_map()) {
        mistakes_.add(member.line, "a tenant must be a mapping: {namespaces: [web, shop_*]}");
        continue;
      }
      Fields tenant(member.value, "a tenant", mistakes_);
      auto namespaces = read_texts(tenant, "namespaces", mistakes_);
      if (tenant.find("namespaces") == nullptr)
        mistakes_.add(member.line,
                      "the tenant has no `namespaces`: leave it out if it is not limited");
      for (const auto& glob : namespaces)
        if (!auth::valid_namespace_glob(glob))
          tenant.wrong(
              "namespaces",
              fmt::format("{} is not a namespace: write its name, with * for any characters",
                          in_quotes(glob)));
      tenant.nothing_else();
      policy_.tenants.emplace(member.key, std::move(namespaces));
    }
  }

  void read_rules(Fields& fields) {
    const auto* rules = fields.list("rules");
    if (rules == nullptr) return;
    if (rules->members.size() > kMaxRules)
      fields.wrong("rules", fmt::format("`rules` has {}; the limit is {}", rules->members.size(),
                                        kMaxRules));
    RuleReader reader(types_, policy_, mistakes_);
    std::map<std::string, int, std::less<>> lines;
    for (const auto& item : rules->members) {
      auto rule = reader.read(item.value, item.line);
      if (!rule) continue;
      if (const auto [first, is_new] = lines.emplace(rule->name, rule->line); !is_new)
        mistakes_.add(item.line, fmt::format("rule {} is already at line {}", in_quotes(rule->name),
                                             first->second));
      policy_.rules.push_back(*std::move(rule));
    }
  }

  void read_extensions(const Located& map) {
    std::vector<std::string> names;
    for (const auto& type : types_) names.emplace_back(type.name);
    for (const auto& member : map.members) {
      if (std::find(names.begin(), names.end(), member.key) == names.end()) {
        mistakes_.add(member.line, fmt::format("this version has no extension {}: it has {}",
                                               in_quotes(member.key), quoted_choices(names)));
        continue;
      }
      if (!member.value.is_map()) {
        mistakes_.add(member.line, "an extension must be a mapping: {on_failure: open}");
        continue;
      }
      Fields extension(member.value, "an extension", mistakes_);
      const auto chosen = extension.choice("on_failure", {"closed", "open"});
      policy_.on_failure[member.key] = chosen == "open" ? OnFailure::kOpen : OnFailure::kClosed;
      auto limit = kUsualTime;
      extension.milliseconds("timeout_ms", limit, {1, kLongestTime.count()});
      policy_.time_limits[member.key] = limit;
      extension.nothing_else();
    }
  }

  void refuse_roots_of_trust(const Located& top, Fields& fields) {
    for (const auto name : kRootsOfTrust) {
      if (tools::specs::find(top, name) == nullptr) continue;
      (void)fields.find(name);
      fields.wrong(name, fmt::format("`{}`: whom to trust is never read from NATS, where this file "
                                     "goes: say it in the options of each gateway",
                                     name));
    }
  }

  const std::span<const ExtensionType> types_;
  Mistakes& mistakes_;
  Policy policy_;
};

}  // namespace

PolicyDocument read_policy(std::string_view text, std::string_view origin,
                           std::span<const ExtensionType> types) {
  PolicyDocument document;
  Mistakes mistakes(origin);
  if (text.size() > kMaxPolicyBytes) {
    mistakes.add(1, fmt::format("the file has {} bytes; the limit is {} KiB", text.size(),
                                kMaxPolicyBytes / 1024));
  } else {
    // A text that says nothing is a policy that asks nothing.
    const auto tree = tools::specs::read_tree(text, mistakes);
    Policy policy = tree ? PolicyReader(types, mistakes).read(*tree) : Policy{};
    policy.digest = sha256_hex(text);
    if (mistakes.count() == 0) document.policy = std::make_shared<const Policy>(std::move(policy));
  }
  document.mistakes = std::move(mistakes).take();
  return document;
}

}  // namespace toolway::extensions::reader
