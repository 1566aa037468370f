#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extensions/extension.h"
#include "extensions/services/question.h"
#include "tools/model/registry.h"

namespace toolway::extensions::services {

/// What a service says. Without a refusal it lets the call run, or its result be shown.
struct Answer {
  std::optional<Error> refusal{};
  std::optional<Hold> hold{};        ///< before
  tools::model::Limits limits{};     ///< before; zero: not lowered
  std::string pool{};                ///< before; empty: as the spec says
  std::vector<std::string> hides{};  ///< after: JSON Pointers into the result
  std::optional<Json> result{};      ///< after: in its place
};

/// Reads an answer's body, strictly: JSON without repeated keys, and nothing that is not known.
/// Errors: kInvalidResult, with what is wrong. Pure.
Result<Answer> read_answer(std::string_view body, Service::Format format, Phase phase);

/// The lower of each limit; zero is none.
void lower_limits(v1::Limits& limits, const tools::model::Limits& to);

/// A result as an answer leaves it. A replacement must fit the tool's output schema. Errors:
/// kInvalidResult: it does not.
Result<tools::model::Execution> answered_result(const Answer& answer,
                                                const tools::model::RegisteredTool& tool,
                                                tools::model::Execution result);

}  // namespace toolway::extensions::services
