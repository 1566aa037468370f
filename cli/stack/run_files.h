#pragma once

#include <string>
#include <vector>

#include "base/result.h"

/// What a stack on the directory `data` leaves there while it runs, for its owner alone: by these
/// the verbs of clients and operators find it.
namespace toolway::cli::stack {

/// Its database's URL.
std::string postgres_url_file(const std::string& data);
/// That of its nats-server.
std::string nats_url_file(const std::string& data);
/// That of its first gateway.
std::string http_url_file(const std::string& data);
/// Those of all its gateways, a line each.
std::string http_urls_file(const std::string& data);
/// The token of its operators.
std::string operator_token_file(const std::string& data);

/// The keys that seal the audit; the only file of these that stays.
std::string seal_keys_file(const std::string& data);
/// Of the keys that seal what gateways hand out.
std::string token_keys_file(const std::string& data);

/// Another token at each start. Errors: kInternal.
Result<void> write_operator_token(const std::string& data);
/// Of gateways, the first one first. Errors: kInternal.
Result<void> write_http_urls(const std::string& data, const std::vector<std::string>& urls);
/// All of the above are gone, except the keys.
void forget_run_files(const std::string& data);

/// The first line of a file; empty: it is not there.
std::string first_line_of(const std::string& file);
/// The gateways of the stack that runs on `data`, the first one first; none: none does.
std::vector<std::string> gateways_of(const std::string& data);

}  // namespace toolway::cli::stack
