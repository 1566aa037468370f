#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "chat/providers/provider.h"

/// A provider served as the API of a model: what is inside HTTP, without a socket.
namespace toolway::chat::providers {

/// The API that a path means: `/v1/chat/completions`, `/v1/responses`, `/v1/messages`.
std::optional<tools::exports::ModelApi> api_of_path(std::string_view path);

/// Where an answer goes.
struct AnswerSink {
  std::function<void(int status, std::string_view content_type)> head;  ///< once, first
  std::function<void(std::string_view bytes)> body;
};

/// Answers one request. As strict as the APIs: a conversation with calls that lack results, or
/// results that lack calls, is refused with 400 and says why.
void serve_model(tools::exports::ModelApi api, std::string_view request, Provider& provider,
                 const AnswerSink& sink, std::stop_token stop);

}  // namespace toolway::chat::providers
