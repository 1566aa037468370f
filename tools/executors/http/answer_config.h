#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/strict_object.h"
#include "tools/templates/pick_template.h"

namespace toolway::tools::executors::http {

/// What a status means that says more than itself.
struct StatusMeaning {
  std::string code = "http_status";
  std::string message;  ///< empty: the status, and the body's beginning in `details`
  std::optional<bool> retryable{};
};

struct HttpAnswerForm {
  enum class As { kJson, kText, kBinary, kSse, kNdjson };
  As as = As::kJson;
  bool json_events = true;                   ///< kSse: each event's data is JSON
  std::string until;                         ///< kSse: the data that ends the stream; empty: none
  std::optional<Json::json_pointer> pick{};  ///< of the document, or of each item
  std::optional<templates::PickTemplate> result{};  ///< made of it
  std::set<int> success;                            ///< statuses
  std::map<int, StatusMeaning> errors{};
};

/// Attempts within one attempt of the call.
struct HttpRetries {
  unsigned attempts = 3;
  enum class Safe {
    kByMethod,
    kAlways,
    kNever
  } safe = Safe::kByMethod;  ///< whether the request may be sent again
  std::set<std::string> on{"connect", "first_byte", "429", "502", "503", "504"};
  std::chrono::milliseconds initial_delay{200};
  std::chrono::milliseconds max_delay{10'000};
};

/// In milliseconds: a day at most.
inline constexpr Range<std::int64_t> kConfiguredTime{1, 86'400'000};

/// `response` of an HTTP tool's config.
HttpAnswerForm read_answer_form(const OrderedJson* response, const std::string& pointer,
                                Mistakes& mistakes);

/// `retries`.
HttpRetries read_retries(const OrderedJson* retries, const std::string& pointer,
                         Mistakes& mistakes);

}  // namespace toolway::tools::executors::http
