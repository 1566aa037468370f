#include "proto/questions.h"

#include <algorithm>

namespace toolway::proto {

std::size_t size_of(const v1::Question& question) {
  return question.key().size() + question.method().size() + question.params().size() +
         question.answer().size() + question.by().size();
}

bool takes_answers(const v1::CallEvent& event) {
  return event.has_started() || event.has_progress() || event.has_log() || event.has_alive() ||
         event.has_input_requested() || event.has_input_provided();
}

bool is_parked_and_answered(const v1::CallEvent& last) {
  const auto answered = [&last](const std::string& key) {
    return std::ranges::any_of(last.questions(), [&key](const v1::Question& question) {
      return question.key() == key && !question.answer().empty();
    });
  };
  return is_parked(last) && std::ranges::all_of(last.parked_for(), answered);
}

std::uint32_t followed_by(const v1::CallEvent& event) {
  if (event.has_input_provided()) return event.input_provided().follows();
  if (!event.has_cancel_requested()) return event.seq();
  const auto follows = event.cancel_requested().follows();
  return follows != 0 ? follows : event.seq() - 1;
}

bool is_question(std::string_view method) {
  return method == kElicit || method == kSample || method == kListRoots;
}

std::vector<std::string> askable(const v1::CallRequest& request) {
  std::vector<std::string> names;
  const auto& can = request.askable();
  const bool all = !request.has_askable();
  if (all || can.form()) names.emplace_back("form");
  if (all || can.url()) names.emplace_back("url");
  if (all || can.sampling()) names.emplace_back("sampling");
  if (all || can.roots()) names.emplace_back("roots");
  return names;
}

bool may_ask(const v1::CallRequest& request, std::string_view method, bool is_url) {
  if (!request.has_askable()) return true;
  const auto& askable = request.askable();
  if (method == kElicit) return is_url ? askable.url() : askable.form();
  if (method == kSample) return askable.sampling();
  return method == kListRoots && askable.roots();
}

}  // namespace toolway::proto
