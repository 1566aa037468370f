#pragma once

#include <string>

#include "cli/process/process_options.h"
#include "cli/talk/verbs.h"

namespace toolway::cli::talk {

struct ChatProcessOptions {
  client::ClientOptions http{};  ///< the gateway, and the key of this process
  std::string url_file{};        ///< holds the gateway's URL, and is read at each turn; empty: none
  unsigned slots = 64;           ///< turns at once
};

/// Runs the turns of conversations, and begins those that completions begin. `talk`: the model.
/// Returns the exit status.
int run_chat(const process::ProcessOptions& options, const ChatProcessOptions& chat,
             const TalkOptions& talk);

}  // namespace toolway::cli::talk
