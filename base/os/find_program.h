#pragma once

#include <string>

namespace toolway::os {

/// The full path of a program: `name` itself when it has a slash, else from PATH
/// and from /usr/local/sbin, /usr/sbin and /sbin, which Debian leaves out of a
/// user's PATH. Empty when there is none.
std::string find_program(const std::string& name);

}  // namespace toolway::os
