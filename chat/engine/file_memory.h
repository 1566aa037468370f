#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "chat/engine/memory.h"

namespace toolway::chat::engine {

/// A conversation in `DIRECTORY/NAME.jsonl`, a line for each message, which only its owner may
/// read. A message is on the disk when `append` returns; half a line, of a process that was killed,
/// is dropped. `start_new` keeps the old one as `NAME.ID.jsonl`. The directory is made if it is
/// missing. Errors: kInternal (the file cannot be read or written, or is damaged: with the line);
/// kOverloaded (another process has it open).
Result<std::unique_ptr<Memory>> open_file_memory(const std::filesystem::path& directory,
                                                 const std::string& name);

}  // namespace toolway::chat::engine
