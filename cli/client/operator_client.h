#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "cli/client/http_client.h"

namespace toolway::cli::client {

/// The JSON of a gateway's 2xx. Errors: as HttpClient; any other answer's code, with its detail and
/// each mistake on a line of its own.
Result<OrderedJson> json_answer(HttpClient& client, std::string_view method,
                                const std::string& target, const std::string& body = {});

/// The same by a client of its own.
Result<OrderedJson> json_answer(const ClientOptions& options, std::string_view method,
                                const std::string& target, const std::string& body = {});

/// What a problem document says. Pure.
Error error_of(const HttpAnswer& answer);

}  // namespace toolway::cli::client
