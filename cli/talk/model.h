#pragma once

#include <memory>
#include <variant>

#include "base/clock.h"
#include "chat/providers/configuration.h"
#include "chat/providers/provider_memory.h"
#include "cli/talk/verbs.h"

namespace toolway::cli::talk {

/// A model that can be asked, and what it is called.
struct Model {
  chat::providers::Configured configured;
  std::shared_ptr<chat::providers::Provider> provider;
};
using ModelOrNone = std::variant<chat::providers::NotConfigured, Model>;

/// Makes the provider that `options` mean. `clock` outlives it. Errors: kInvalidRequest (the
/// settings), kNotFound and kInvalidSpec (the script), kInternal.
/// `engine`: for requests; null: one of its own. `memory`: of the process's providers; null: none
/// yet.
Result<ModelOrNone> make_model(const TalkOptions& options, const Clock& clock,
                               std::shared_ptr<tools::http::HttpEngine> engine = nullptr,
                               std::shared_ptr<chat::providers::ProviderMemory> memory = nullptr);

}  // namespace toolway::cli::talk
