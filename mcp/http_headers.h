#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "mcp/message.h"
#include "mcp/revision.h"

/// What the header of an HTTP request says besides its body. Pure.
namespace toolway::mcp {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// A parameter whose value goes into a header as well (2026-07-28, server/tools, "x-mcp-header").
struct MirroredParameter {
  std::vector<std::string> path;  ///< names of properties, from the arguments inwards
  std::string header;             ///< `Mcp-Param-…`
};

/// Those that an input schema names. Errors: kInvalidSpec: the tool must not be offered over HTTP.
Result<std::vector<MirroredParameter>> mirrored_parameters(const OrderedJson& input_schema);

/// Their values in `arguments`; what is not there, or null, has no header.
Headers mirrored_headers(std::span<const MirroredParameter> parameters, const Json& arguments);

/// What the transport asks for of a request, or a notification, of this revision: the revision, and
/// from 2026-07-28 on the method and the tool's name.
Headers request_headers(Revision revision, std::string_view method, const Json& params);

/// A value as a header may carry it: itself, or in base64 where that is needed
/// (2026-07-28, basic/transports/streamable-http, "Value Encoding").
std::string header_value(std::string_view value);

/// What a header's value stands for. Nothing: it is base64 that cannot be read.
std::optional<std::string> header_text(std::string_view value);

/// Whether a text is a session id as a header may carry it: visible ASCII, at most 1 KiB
/// (2025-11-25, basic/transports, "Session Management").
bool valid_session_id(std::string_view id);

}  // namespace toolway::mcp
