#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "tools/schema/schema.h"

namespace toolway::tools::exports {

/// Whose messages are read and written.
enum class ModelApi { kOpenAi, kOpenAiResponses, kAnthropic };

/// `openai`, `openai-responses`, `anthropic`
std::optional<ModelApi> parse_model_api(std::string_view name);

/// One call that a model asks for.
struct ModelCall {
  std::string id;                ///< the model's own; 1 to 255 bytes
  std::string tool;              ///< as the model names it; may be anything
  Json arguments;                ///< an object
  std::string arguments_text;    ///< the same as text; byte for byte where it came as a string
  bool custom = false;           ///< a free-text call of OpenAI, which no tool here takes
  std::optional<Error> wrong{};  ///< why it cannot be run; its result is this error
};

struct ModelMessageBounds {
  std::size_t calls = 100;      ///< those after them are not run
  std::size_t answered = 1000;  ///< a message with more is refused whole
  std::size_t arguments_bytes = 512 * 1024;
};

/// The calls of an assistant message, one per id, in its order; none when it asks for none.
/// Takes the message, {"message": it}, or the API's whole response; fields that it does not
/// know are ignored. What is wrong with one call is said in that call. An id that comes twice
/// is one call when both are the same, and a wrong one when they differ.
/// Errors: not such a message, more calls than are answered (counted before anything is made of
/// one, those with the same id too), and a call without an id, which no result could answer.
tl::expected<std::vector<ModelCall>, schema::Violation> parse_model_message(
    Json message, ModelApi api, const ModelMessageBounds& bounds = {});

/// The same of `{"calls": [{"id", "tool", "arguments"}]}`, which is of no API: what Toolway does
/// not know is a mistake there.
tl::expected<std::vector<ModelCall>, schema::Violation> parse_neutral_calls(
    Json body, const ModelMessageBounds& bounds = {});

}  // namespace toolway::tools::exports
