#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <string>

#include "chat/providers/model_server.h"

namespace toolway::cli::talk {

/// What answers a request to a model: `chat::providers::serve_model`, or who listens to it.
using ModelAnswers = std::function<void(tools::exports::ModelApi api, const std::string& body,
                                        const chat::providers::AnswerSink& sink)>;

/// Has one request answered, and closes: an answer ends where its connection does. What is for none
/// of the three APIs is 404. Blocks.
void serve_model_connection(boost::asio::ip::tcp::socket& socket, const ModelAnswers& answers);

}  // namespace toolway::cli::talk
