#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/client/answer_options.h"

/// What a call's tool asks, and the answers of `toolway calls answer`. Pure.
namespace toolway::cli::client {

/// The questions of a call, from its events in order.
class QuestionList {
 public:
  void add(const OrderedJson& event);
  /// Those that wait for an answer, oldest first, each with `key`, `method` and `params`.
  std::vector<OrderedJson> waiting() const { return waiting_; }

 private:
  std::vector<OrderedJson> waiting_;
};

/// `a form`, `a page to open`, …
std::string asked_for(const OrderedJson& question);
/// What a person reads: its message, with the address of its page.
std::string message_of(const OrderedJson& question);
/// The fields of its form: `name*, size (integer)`; those with `*` are required.
std::string fields_text(const OrderedJson& question);

/// The body's `answers`. Errors: kInvalidRequest, in words for the person who typed it;
/// kMalformedJson.
Result<OrderedJson> answers_of(const std::vector<OrderedJson>& waiting,
                               const AnswerOptions& options);

}  // namespace toolway::cli::client
