#include "bus/jetstream_batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "base/try.h"

namespace toolway::bus::api {
namespace {

/// nats-server finds these before it stores anything of a batch.
constexpr std::array kRefusals{
    10071,  // wrong last sequence
    10164,  // likewise, while the subject is written to
    10158,  // the message id is being stored
    10175,  // a sequence is missing
    10176,  // the batch is incomplete
    10177,  // a header that it does not take
    10179,  // the batch's id is invalid
    10199,  // too large
    10200,  // the commit is invalid
    10201,  // a duplicate message id
    10210,  // too many batches at once
};
constexpr int kBatchesDisabled = 10174;

/// From it on a batch on a single server is synced once.
constexpr std::pair kSyncsOnce{2, 15};

Result<Json> parse_info(std::string_view text) {
  auto json = parse_json(text);
  if (!json || !json->is_object())
    return fail(ErrorCode::kInternal, "JetStream sent an answer that its API does not define");
  if (const auto error = json->find("error"); error != json->end()) {
    return fail(ErrorCode::kInternal,
                fmt::format("JetStream: {}", error->value("description", "no description")));
  }
  return std::move(*json);
}

bool syncs_once(const Json& config) {
  const Json metadata = config.value("metadata", Json::object());
  const std::string version = metadata.is_object() ? metadata.value("_nats.ver", "") : "";
  const std::size_t dot = version.find('.');
  if (dot == std::string::npos) return false;
  std::pair<int, int> is{};
  const std::size_t end = std::min(version.find('.', dot + 1), version.size());
  return parse_number(std::string_view(version).substr(0, dot), is.first) &&
         parse_number(std::string_view(version).substr(dot + 1, end - dot - 1), is.second) &&
         is >= kSyncsOnce && config.value("num_replicas", 1) == 1;
}

}  // namespace

BatchAnswer parse_batch_answer(std::string_view text) {
  const auto json = parse_json(text);
  if (!json || !json->is_object()) return {.words = "not an answer of its API"};
  const auto error = json->find("error");
  if (error == json->end()) {
    const auto last = json->value("seq", std::uint64_t{0});
    const auto count = json->value("count", std::uint64_t{0});
    if (last == 0 || count == 0) return {.words = "as to a single message"};
    return {.kind = BatchAnswer::Kind::kStored, .last = last, .count = count};
  }
  const int code = error->value("err_code", 0);
  BatchAnswer answer{
      .words = fmt::format("{} ({})", error->value("description", "no description"), code)};
  if (code == kBatchesDisabled) answer.kind = BatchAnswer::Kind::kNotTaken;
  if (std::ranges::find(kRefusals, code) != kRefusals.end())
    answer.kind = BatchAnswer::Kind::kRefused;
  return answer;
}

Result<bool> parse_takes_batches(std::string_view text) {
  ASSIGN_OR_RETURN(const Json answer, parse_info(text));
  const Json config = answer.value("config", Json::object());
  return config.value("allow_atomic", false) && syncs_once(config);
}

Result<std::optional<std::string>> allow_batches_request(std::string_view text) {
  ASSIGN_OR_RETURN(const Json answer, parse_info(text));
  Json config = answer.value("config", Json::object());
  if (!syncs_once(config)) return std::nullopt;
  config["allow_atomic"] = true;
  return to_text(config);
}

Result<void> parse_update(std::string_view text) {
  RETURN_IF_ERROR(parse_info(text));
  return {};
}

}  // namespace toolway::bus::api
