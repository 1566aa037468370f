#pragma once

#include <string>

#include "base/result.h"

/// What a cluster is asked while it starts. Each call blocks for 5 s at most on each step of
/// connecting; none logs the URL, which holds a password.
namespace toolway::local {

/// Whether the server answers and takes this user.
bool connects(const std::string& url);

/// Whether the server answers that it cannot take connections yet, as while it replays its log.
bool is_starting(const std::string& url);

/// `url`: of another database of the cluster. Errors: kInternal, in Postgres's words.
Result<void> create_database(const std::string& url, const std::string& name);

}  // namespace toolway::local
