#pragma once

#include "tools/executors/http/config_fields.h"
#include "tools/executors/http/http_config.h"

namespace toolway::tools {

/// `response` of an HTTP tool's config.
HttpAnswerForm read_answer_form(const OrderedJson* response, const std::string& pointer,
                                std::vector<SpecMistake>& mistakes);

/// `retries`.
HttpRetries read_retries(const OrderedJson* retries, const std::string& pointer,
                         std::vector<SpecMistake>& mistakes);

}  // namespace toolway::tools
