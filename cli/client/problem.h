#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/client/http_client.h"
#include "cli/terminal/failure.h"

/// Problem documents read for people. Pure.
namespace toolway::cli::client {

/// The code of that name, as `code_name` writes it.
std::optional<ErrorCode> code_of(std::string_view name);

/// What a request is about: the session or call in its path, the tool in its body.
terminal::Subject subject_of(std::string_view target, const std::string& body = {});

/// An answer that is not 2xx: what happened, each violation, what to do next.
terminal::Failure failure_of(const HttpAnswer& answer, const terminal::Subject& subject);

/// Of an answer that says success, and is not what a gateway answers: another program listens
/// there, or a gateway of another version.
Error not_a_gateway(const HttpAnswer& answer);

/// The same, for answers that are JSON objects, or nothing (204); nothing: it is one.
std::optional<Error> unless_object(const HttpAnswer& answer);

}  // namespace toolway::cli::client
