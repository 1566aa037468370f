#include "tools/executors/mcp_client/server_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/held_pool.h"
#include "base/ids.h"
#include "base/os/file_io.h"
#include "base/text.h"
#include "base/try.h"
#include "tools/http/address_policy.h"
#include "tools/http/http_message.h"
#include "tools/http/http_url.h"
#include "tools/specs/bounds.h"
#include "tools/specs/fields.h"
#include "tools/specs/spec_checks.h"
#include "tools/specs/spec_fields.h"
#include "tools/specs/trees.h"

namespace toolway::tools::executors::mcp_client {
namespace {

constexpr std::size_t kMaxServers = 100;

bool valid_variable(std::string_view name) {
  return !name.empty() && name.find('=') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

/// `text`, `text {secret:NAME}`, or `{secret: NAME}`.
Result<SecretText> read_secret_text(const specs::Located& value) {
  if (value.is_text()) return SecretText::parse(value.scalar.get_ref<const std::string&>());
  if (value.is_map() && value.members.size() == 1) {
    const auto& [key, line, inside] = value.members.front();
    if (key == "secret" && inside.is_text())
      return SecretText::of_secret(inside.scalar.get_ref<const std::string&>());
    // What YAML makes of {secret:NAME} without quotes.
    if (key.starts_with("secret:")) return SecretText::parse("{" + key + "}");
  }
  return fail(ErrorCode::kInvalidSpec, "must be text, or {secret: NAME}");
}

NamedSecretTexts read_named(specs::Fields& fields, std::string_view name,
                            bool (*valid)(std::string_view)) {
  NamedSecretTexts texts;
  const auto* map = fields.map(name);
  if (map == nullptr) return texts;
  for (const auto& [key, line, value] : map->members) {
    auto text = read_secret_text(value);
    if (!valid(key)) {
      fields.mistakes().add(line,
                            fmt::format("`{}`: {} cannot be a name there", name, in_quotes(key)));
    } else if (!text) {
      fields.mistakes().add(line, fmt::format("`{}.{}`: {}", name, key, text.error().message));
    } else {
      texts.emplace_back(key, *std::move(text));
    }
  }
  return texts;
}

StdioServer read_stdio(specs::Fields& fields) {
  StdioServer server;
  fields.texts("command", server.command);
  if (server.command.empty() || server.command.front().empty()) {
    fields.mistakes().add(fields.line_of("command"),
                          "`command` must be a list: the program, and its arguments");
  }
  server.environment = read_named(fields, "env", valid_variable);
  fields.text("cwd", server.directory);
  if (!server.directory.empty() && server.directory.front() != '/') {
    fields.mistakes().add(fields.line_of("cwd"), "`cwd` must be an absolute path");
  }
  fields.text("sandbox", server.sandbox);
  if (server.sandbox == "none") server.sandbox.clear();
  return server;
}

HttpServer read_http(specs::Fields& fields) {
  HttpServer server;
  fields.text("url", server.url);
  if (const auto url = tools::http::HttpUrl::parse(server.url); !url) {
    fields.mistakes().add(fields.line_of("url"), fmt::format("`url`: {}", url.error().message));
  }
  server.headers = read_named(fields, "headers", is_http_token);
  fields.texts("allow_addresses", server.allow_addresses);
  if (const auto policy = tools::http::AddressPolicy::create(server.allow_addresses); !policy) {
    fields.mistakes().add(fields.line_of("allow_addresses"),
                          fmt::format("`allow_addresses`: {}", policy.error().message));
  }
  fields.text("ca_file", server.ca_file);
  fields.text("proxy", server.proxy);
  return server;
}

void read_defaults(specs::Fields& fields, model::Spec& spec) {
  const auto* map = fields.map("defaults");
  if (map == nullptr) return;
  specs::Fields inside(*map, "`defaults`", fields.mistakes());
  specs::read_adjustable(inside, spec, specs::Ranges::kDocumented);
  inside.flag("idempotent", spec.idempotent);
  inside.flag("multi_step", spec.multi_step);
  specs::check_hints(inside, spec);
  for (const auto* own : {"description", "topic"}) {
    if (inside.find(own) != nullptr)
      inside.mistakes().add(inside.line_of(own),
                            fmt::format("`{}` must be set for each tool", own));
  }
  inside.nothing_else();
}

void read_times(specs::Fields& fields, ServerConfig& server) {
  constexpr std::int64_t kHour = 3'600'000;
  fields.milliseconds("start_timeout_ms", server.start_timeout, {100, kHour});
  fields.milliseconds("call_timeout_ms", server.call_timeout, {0, specs::kMaxLimit.count()});
  fields.milliseconds("restart_delay_ms", server.restart_delay, {1, kHour});
  fields.milliseconds("restart_delay_max_ms", server.longest_restart_delay, {1, kHour});
  fields.whole<std::size_t>("max_message_bytes", server.max_message_bytes,
                            {4096, 256 * 1024 * 1024}, "bytes");
}

void read_asks(specs::Fields& fields, mcp::ClientCapabilities& asks) {
  if (fields.find("asks") == nullptr) return;
  std::vector<std::string> names;
  fields.texts("asks", names);
  if (const auto read = askable_of(names))
    asks = *read;
  else
    fields.wrong("asks", "`asks` must be a list of form, url, sampling and roots");
}

void check_name(specs::Fields& fields, std::string_view field, const std::string& name) {
  if (valid_name(name)) return;
  fields.mistakes().add(fields.line_of(field),
                        fmt::format("`{}` must be 1 to 64 characters of A-Z a-z 0-9 _ -, not {}",
                                    field, in_quotes(name)));
}

/// Whether it maps names to servers, as below `mcpServers` in the files of other programs.
bool names_servers(const specs::Located& value) {
  return std::ranges::any_of(value.members, [](const auto& member) {
    return member.value.is_map() && (specs::find(member.value, "command") != nullptr ||
                                     specs::find(member.value, "url") != nullptr);
  });
}

ServerConfig read_server(const specs::LocatedMember& member, Mistakes& mistakes) {
  ServerConfig server{.name = member.key, .line = member.line};
  if (!valid_name(server.name)) {
    mistakes.add(
        member.line,
        fmt::format("a server's name must be 1 to 64 characters of A-Z a-z 0-9 _ -, not {}",
                    in_quotes(server.name)));
  }
  if (!member.value.is_map()) {
    mistakes.add(member.line, "a server must be a mapping, with `command` or `url`");
    return server;
  }
  specs::Fields fields(StrictTree<specs::Located>::members(member.value), member.line, "a server",
                       mistakes);
  const bool command = fields.find("command") != nullptr;
  const bool url = fields.find("url") != nullptr;
  if (command && url)
    mistakes.add(member.line,
                 fmt::format("server '{}' has both `command` and `url`: keep one", server.name));
  if (!command && !url) {
    const bool nested = names_servers(member.value);
    mistakes.add(
        member.line,
        fmt::format("server '{}' has neither `command` nor `url`{}", server.name,
                    nested ? "; this file maps names to servers: remove that outer key" : ""));
    if (nested) return server;
  }
  if (command) {
    server.stdio = read_stdio(fields);
  } else if (url) {
    server.http = read_http(fields);
    server.start_timeout = kHttpStart;
  }
  server.defaults.kind = model::Kind::kMcp;
  server.defaults.ns = server.name;
  server.defaults.pool = model::Kind::kMcp.name;
  server.defaults.multi_step = true;
  fields.text("namespace", server.defaults.ns);
  check_name(fields, "namespace", server.defaults.ns);
  fields.text("pool", server.defaults.pool);
  check_name(fields, "pool", server.defaults.pool);
  if (server.defaults.pool == kHeldPool) fields.wrong("pool", std::string(kHeldPoolTaken));
  fields.texts("include", server.include);
  fields.texts("exclude", server.exclude);
  read_defaults(fields, server.defaults);
  fields.flag("trust_annotations", server.trusts_annotations);
  read_asks(fields, server.asks);
  read_times(fields, server);
  fields.nothing_else();
  return server;
}

/// `*` is any text, `?` one character.
bool matches(std::string_view glob, std::string_view name) {
  std::size_t g = 0, n = 0, star = std::string_view::npos, from = 0;
  while (n < name.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      from = n;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == name[n])) {
      ++g, ++n;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      n = ++from;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == std::string_view::npos;
}

}  // namespace

ServersDocument read_servers(std::string_view text, std::string_view origin) {
  ServersDocument document;
  Mistakes mistakes(origin);
  const auto tree = specs::read_tree(text, mistakes);
  if (tree && tree->is_map()) {
    if (tree->members.size() > kMaxServers) {
      mistakes.add(
          1, fmt::format("has {} servers; the limit is {}", tree->members.size(), kMaxServers));
    } else {
      for (const auto& member : tree->members) {
        const auto before = mistakes.count();
        auto server = read_server(member, mistakes);
        if (mistakes.count() == before) document.servers.push_back(std::move(server));
      }
    }
  } else if (tree && (tree->is_list() || !tree->scalar.is_null())) {
    mistakes.add(tree->line,
                 "the file must map server names to servers: `files: {command: [...]}`");
  }
  document.mistakes = std::move(mistakes).take();
  return document;
}

Result<std::vector<ServerConfig>> read_servers_file(const std::string& path) {
  const auto text = os::read_file(path);
  if (!text)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("the file of MCP servers: {}", text.error().message));
  auto document = read_servers(*text, path);
  if (document.mistakes.empty()) return std::move(document.servers);
  std::string told;
  for (const auto& mistake : document.mistakes) told += (told.empty() ? "" : "\n") + mistake.text();
  return fail(ErrorCode::kInvalidSpec, std::move(told));
}

Result<std::vector<ServerConfig>> read_servers_files(const std::vector<std::string>& paths) {
  std::vector<ServerConfig> all;
  std::map<std::string, std::string> places;
  for (const auto& path : paths) {
    ASSIGN_OR_RETURN(auto servers, read_servers_file(path));
    for (auto& server : servers) {
      const auto [place, fresh] =
          places.emplace(server.name, fmt::format("{}:{}", path, server.line));
      if (!fresh) {
        return fail(ErrorCode::kInvalidSpec,
                    fmt::format("{}:{}: server '{}' is already defined at {}", path, server.line,
                                server.name, place->second));
      }
      all.push_back(std::move(server));
    }
  }
  return all;
}

std::optional<mcp::ClientCapabilities> askable_of(const std::vector<std::string>& names) {
  mcp::ClientCapabilities askable;
  for (const auto& name : names) {
    if (name == "form")
      askable.form = true;
    else if (name == "url")
      askable.url = true;
    else if (name == "sampling")
      askable.sampling = true;
    else if (name == "roots")
      askable.roots = true;
    else
      return std::nullopt;
  }
  return askable;
}

mcp::ClientCapabilities shared_by_calls(mcp::ClientCapabilities asks) {
  asks.roots = false;
  return asks;
}

bool wants(const ServerConfig& server, std::string_view tool) {
  const auto any = [&](const std::vector<std::string>& globs) {
    return std::any_of(globs.begin(), globs.end(),
                       [&](const auto& glob) { return matches(glob, tool); });
  };
  return (server.include.empty() || any(server.include)) && !any(server.exclude);
}

}  // namespace toolway::tools::executors::mcp_client
