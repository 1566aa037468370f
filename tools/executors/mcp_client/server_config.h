#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mcp/client_capabilities.h"
#include "tools/executors/mcp_client/secret_text.h"
#include "tools/model/spec.h"
#include "tools/specs/reader.h"

namespace toolway::tools::executors::mcp_client {

using NamedSecretTexts = std::vector<std::pair<std::string, SecretText>>;

/// A server that is a process of ours, spoken to over its standard streams.
struct StdioServer {
  std::vector<std::string> command;
  NamedSecretTexts environment;  ///< besides PATH, HOME and LANG; nothing of ours
  std::string directory;         ///< empty: /
  std::string sandbox;           ///< a profile; empty: none
};

/// A server that is somewhere else, spoken to over streamable HTTP.
struct HttpServer {
  std::string url;
  NamedSecretTexts headers;
  std::vector<std::string> allow_addresses;  ///< besides the public internet
  std::string ca_file;                       ///< PEM; empty: the system's
  std::string proxy;                         ///< empty: none
};

/// How long a server may take to answer for the first time, unless its file says something else.
inline constexpr std::chrono::milliseconds kProcessStart{60'000};
inline constexpr std::chrono::milliseconds kHttpStart{10'000};

/// One MCP server as a servers file describes it (docs/mcp.md).
struct ServerConfig {
  std::string name;
  int line = 0;
  std::optional<StdioServer> stdio{};  ///< this, or
  std::optional<HttpServer> http{};    ///< that
  std::vector<std::string> include{};  ///< globs of tools' names; empty: all
  std::vector<std::string> exclude{};
  /// What its tools' specs begin with: namespace, pool, limits, idempotent and the like.
  model::Spec defaults{};
  bool trusts_annotations = false;
  /// What it may ask the clients of its calls.
  mcp::ClientCapabilities asks{.form = true, .url = true, .sampling = true, .roots = true};
  /// A process may have to be fetched, or to import much, before it can answer.
  std::chrono::milliseconds start_timeout = kProcessStart;
  std::chrono::milliseconds call_timeout{0};  ///< besides the call's own limits; 0: none
  std::chrono::milliseconds restart_delay{250};
  std::chrono::milliseconds longest_restart_delay{30'000};
  std::size_t max_message_bytes = 16 * 1024 * 1024;
};

struct ServersDocument {
  std::vector<ServerConfig> servers;
  std::vector<Mistake> mistakes;
};

/// Reads a file of servers, YAML or JSON. With any mistake, `servers` has those without one.
ServersDocument read_servers(std::string_view text, std::string_view origin);
/// The same from a file. Errors: kInvalidSpec with every mistake, one a line; kNotFound.
Result<std::vector<ServerConfig>> read_servers_file(const std::string& path);
/// Those of several files. Errors: likewise, and kInvalidSpec when two name one server.
Result<std::vector<ServerConfig>> read_servers_files(const std::vector<std::string>& paths);

/// From their names: form, url, sampling, roots. Nothing: there is another one among them.
std::optional<mcp::ClientCapabilities> askable_of(const std::vector<std::string>& names);
/// What the handshake of a connection declares, which all calls share. Not roots: servers keep
/// them for the connection, and they are one client's.
mcp::ClientCapabilities shared_by_calls(mcp::ClientCapabilities asks);

/// Whether to offer a tool of this name.
bool wants(const ServerConfig& server, std::string_view tool);

}  // namespace toolway::tools::executors::mcp_client
