#pragma once

#include "base/strict_object.h"
#include "tools/executors/http/http_config.h"

namespace toolway::tools::executors::http {

/// In milliseconds: a day at most.
inline constexpr Range<std::int64_t> kConfiguredTime{1, 86'400'000};

/// `response` of an HTTP tool's config.
HttpAnswerForm read_answer_form(const OrderedJson* response, const std::string& pointer,
                                Mistakes& mistakes);

/// `retries`.
HttpRetries read_retries(const OrderedJson* retries, const std::string& pointer,
                         Mistakes& mistakes);

}  // namespace toolway::tools::executors::http
