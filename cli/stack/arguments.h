#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/stack/stack_options.h"

namespace toolway::cli::stack {

/// What a process of `role` is started with, besides its name, its log level and where it listens;
/// a worker's workspaces are in `data`.
std::vector<std::string> arguments_of(const StackOptions& options, std::string_view role,
                                      const std::filesystem::path& data);

}  // namespace toolway::cli::stack
