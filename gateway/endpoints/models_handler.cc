// GET /v1/models and /v1/models/{m}, which clients of models' APIs ask for.
#include "gateway/endpoints/models_handler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/try.h"
#include "gateway/endpoints/face_error.h"
#include "gateway/wire/json_text.h"

namespace toolway::gateway::endpoints {
namespace {

using tools::exports::ModelApi;

/// As the Messages API has them.
constexpr std::size_t kUsualLimit = 20;
constexpr std::size_t kMaxLimit = 1000;

/// By name; since when the process runs that has had it longest, in microseconds.
using Models = std::map<std::string, std::int64_t, std::less<>>;

Models models_of(const std::vector<admission::HeardWorkerPtr>& chat) {
  Models models;
  for (const auto& worker : chat) {
    if (worker->said.draining()) continue;
    for (const auto& name : worker->said.models()) {
      const auto since = worker->said.started_at_us();
      const auto [known, first] = models.emplace(name, since);
      if (!first) known->second = std::min(known->second, since);
    }
  }
  return models;
}

bool is_messages(const wire::RoutedRequest& routed) {
  return face_of(routed.request) == ModelApi::kAnthropic;
}

OrderedJson model_json(const Models::value_type& model, bool messages) {
  const auto& [name, since] = model;
  if (messages)
    return {{"type", "model"},
            {"id", name},
            {"display_name", name},
            {"created_at", wire::time_text(from_unix_us(since))}};
  return {
      {"id", name}, {"object", "model"}, {"created", since / 1'000'000}, {"owned_by", "toolway"}};
}

/// A page of them, as the Messages API has it.
wire::HttpResult<OrderedJson> page_of(Models models, const wire::Target& target) {
  ASSIGN_OR_RETURN(const auto limit, wire::parse_limit(target, kUsualLimit, kMaxLimit));
  const auto after = target.query("after_id");
  const auto before = target.query("before_id");
  if (after) models.erase(models.begin(), models.upper_bound(*after));
  if (before) models.erase(models.lower_bound(*before), models.end());
  const bool more = models.size() > limit;
  const auto left_out = static_cast<std::ptrdiff_t>(more ? models.size() - limit : 0);
  if (before && !after)
    models.erase(models.begin(), std::next(models.begin(), left_out));
  else
    models.erase(std::prev(models.end(), left_out), models.end());
  OrderedJson page{{"data", OrderedJson::array()}, {"has_more", more}};
  for (const auto& model : models) page["data"].push_back(model_json(model, true));
  page["first_id"] = models.empty() ? OrderedJson() : OrderedJson(models.begin()->first);
  page["last_id"] = models.empty() ? OrderedJson() : OrderedJson(models.rbegin()->first);
  return page;
}

}  // namespace

wire::HttpResult<wire::Response> list_models(const std::vector<admission::HeardWorkerPtr>& chat,
                                             const wire::RoutedRequest& routed) {
  auto models = models_of(chat);
  if (is_messages(routed)) {
    RETURN_IF_ERROR(routed.target.only({"limit", "after_id", "before_id"}));
    ASSIGN_OR_RETURN(const auto page, page_of(std::move(models), routed.target));
    return wire::Response{.body = to_text(page)};
  }
  RETURN_IF_ERROR(routed.target.only({}));
  OrderedJson list{{"object", "list"}, {"data", OrderedJson::array()}};
  for (const auto& model : models) list["data"].push_back(model_json(model, false));
  return wire::Response{.body = to_text(list)};
}

wire::HttpResult<wire::Response> show_model(const std::vector<admission::HeardWorkerPtr>& chat,
                                            const wire::RoutedRequest& routed) {
  RETURN_IF_ERROR(routed.target.only({}));
  const auto models = models_of(chat);
  const auto found = models.find(routed.id);
  if (found != models.end())
    return wire::Response{.body = to_text(model_json(*found, is_messages(routed)))};
  std::vector<std::string> names;
  for (const auto& [name, since] : models) names.push_back(name);
  return wire::refuse(ErrorCode::kNotFound,
                      names.empty() ? std::string("no chat process that has a model runs")
                                    : fmt::format("no chat process has this model; there are: {}",
                                                  fmt::join(names, ", ")));
}

}  // namespace toolway::gateway::endpoints
