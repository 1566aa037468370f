#pragma once

#include <string_view>
#include <vector>

namespace toolway::cli::process {

/// Keeps other processes of the same user out of our memory, files and environment in /proc:
/// reading them takes CAP_SYS_PTRACE. It also means that no core is dumped, and that a debugger has
/// to be root. Programs that we start are like any others again. Called first of all in main.
void close_to_other_processes();

/// Overwrites, where the kernel shows them in /proc/…/environ, the values of the variables whose
/// names begin with one of `prefixes`, and takes them out of the environment, so that no child
/// inherits them. Before there are threads; what is needed must have been copied.
void wipe_environment(const std::vector<std::string_view>& prefixes);

/// Overwrites user and password of URLs on the command line, which every user of this machine can
/// read in /proc/…/cmdline. Until then they could; so secrets belong in the environment or in
/// files.
void wipe_passwords(int argc, char** argv);

/// Overwrites what comes after the verb `talk`, which may be a message to a model, in the same way.
void wipe_messages(int argc, char** argv);

}  // namespace toolway::cli::process
