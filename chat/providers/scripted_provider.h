#pragma once

#include <memory>
#include <string>

#include "chat/providers/provider.h"
#include "chat/providers/script.h"

namespace toolway::chat::providers {

/// Plays a script, with its delays. Which reply is next follows from the conversation alone, so a
/// turn that was interrupted continues.
std::unique_ptr<Provider> make_scripted_provider(Script script);

/// The same of a file. Errors: kNotFound; kInvalidSpec naming each mistake and its line.
Result<std::unique_ptr<Provider>> open_scripted_provider(const std::string& path);

}  // namespace toolway::chat::providers
