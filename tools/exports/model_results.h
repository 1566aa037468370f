#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "tools/exports/model_message.h"

namespace toolway::tools::exports {

/// The one answer to one call, as a model reads it.
struct ModelResult {
  std::string tool_call_id;
  std::string text;
  bool is_error = false;
  bool custom = false;  ///< of the call
};

/// What follows the assistant message in the next request: for OpenAI one message (or
/// item) per call, for Anthropic one user message with all results. An array; empty
/// when there is no result.
OrderedJson messages_to_append(ModelApi api, const std::vector<ModelResult>& results);

/// A result's JSON for a model: a string as it is, anything else indented by two spaces.
/// `json` is valid JSON; nothing: null.
std::string model_text(std::string_view json);

/// What a model reads after the beginning of a result of `bytes`: where all of it is.
std::string whole_result_note(std::uint64_t bytes, std::string_view call_id);

/// What a block of a result is.
struct BlockName {
  std::string_view type;
  std::string_view mime_type{};
  std::string_view name{};
  std::string_view uri{};
  std::size_t bytes = 0;  ///< of its data
};
/// A block that is not text, for a model that reads text: `[image image/png, 70 bytes]`. `why` the
/// model is not shown it: after a colon.
std::string block_line(const BlockName& block, std::string_view why = {});

/// `tool_error: <message>`
std::string model_error_text(std::string_view message);

/// JSON text indented by two spaces, its numbers and strings byte for byte as they were;
/// nothing is indented further than 64 levels.
std::string pretty_json(std::string_view json);

}  // namespace toolway::tools::exports
