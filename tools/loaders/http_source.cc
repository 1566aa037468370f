#include "tools/loaders/http_source.h"

#include <fmt/format.h>

#include <random>

#include "base/sha256.h"
#include "base/try.h"

namespace toolway::tools::loaders {
namespace {

double random_chance() {
  // Small: every thread of the process has one, and a worker has a thousand.
  static thread_local std::minstd_rand generator(std::random_device{}());
  return std::uniform_real_distribution<double>(0, 1)(generator);
}

/// Why no answer came, in words for the user.
std::string why_no_answer(const Error& error, std::size_t max_bytes) {
  switch (error.code) {
    case ErrorCode::kShuttingDown: return "stopped";
    case ErrorCode::kTimeout: return "no answer in time";
    case ErrorCode::kPayloadTooLarge:
      return fmt::format("the answer has more than {} bytes", max_bytes);
    default: return error.message;
  }
}

}  // namespace

Result<std::unique_ptr<HttpSource>> HttpSource::create(HttpSourceOptions options, ReadSpecs read) {
  const std::string_view url = options.url;
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos ||
      (url.substr(0, scheme) != "http" && url.substr(0, scheme) != "https")) {
    return fail(ErrorCode::kInvalidRequest, "a URL of specs begins with http:// or https://");
  }
  const auto host = url.substr(scheme + 3, url.find_first_of("/?#", scheme + 3) - scheme - 3);
  if (host.find('@') != std::string_view::npos) {
    return fail(
        ErrorCode::kInvalidRequest,
        "a URL of specs must not hold a password, which other users could see; put a token into a file and "
        "give --specs-token-file");
  }
  // A query may hold something secret.
  const auto query = url.find_first_of("?#");
  std::string name(url.substr(0, query));
  if (query != std::string_view::npos) name += "?…";
  if (!options.chance) options.chance = random_chance;
  return std::unique_ptr<HttpSource>(
      new HttpSource(std::move(options), std::move(name), std::move(read)));
}

HttpSource::HttpSource(HttpSourceOptions options, std::string name, ReadSpecs read)
    : options_(std::move(options)),
      name_(std::move(name)),
      read_(std::move(read)),
      back_off_(options_.interval) {}

Result<net::HttpAnswer> HttpSource::fetch(const std::stop_token& stop) {
  net::HttpRequest request{
      .url = options_.url,
      .headers = {"Accept: application/yaml, application/json, text/yaml, */*;q=0.5"},
      .timeout = options_.timeout,
      .max_bytes = options_.max_bytes,
      .unpack = true,
      .redirects = true,
      .proxy_of_environment = true};
  if (!etag_.empty()) request.headers.push_back("If-None-Match: " + etag_);
  if (options_.token) {
    ASSIGN_OR_RETURN(request.bearer, options_.token());
  }
  auto answer = client_.send(request, [&stop] { return stop.stop_requested(); });
  if (!answer) answer.error().message = why_no_answer(answer.error(), options_.max_bytes);
  return answer;
}

std::optional<SourceState> HttpSource::look(std::stop_token stop) {
  auto fetched = fetch(stop);
  if (!fetched) return failed(fetched.error().message, {});
  if (fetched->status != 200 && fetched->status != 304) {
    return failed(fmt::format("it answered {}", fetched->status), fetched->retry_after);
  }
  if (fetched->status == 304 && body_digest_.empty())
    return failed("it answered 304 to a first request", {});
  back_off_.succeeded();
  const bool came_back = !away_.empty() || first_;
  first_ = false;
  away_.clear();
  std::vector<Mistake> found;
  bool changed = false;
  if (fetched->status == 200) {
    etag_ = std::move(fetched->etag);
    auto body_digest = sha256_hex(fetched->body);
    changed = body_digest != body_digest_;
    body_digest_ = std::move(body_digest);
  }
  if (changed) {
    auto document = read_(fetched->body, name_);
    // More likely a fault than a wish for no tools at all.
    if (fetched->body.empty())
      document.mistakes.push_back({name_, "the answer is empty; no tools are `tools: []`", 1});
    mistakes_ = std::move(document.mistakes);
    if (mistakes_.empty())
      good_ = make_part(name_, std::move(document.specs), std::move(document.overlay));
    found = mistakes_;
  }
  if (!changed && !came_back) return std::nullopt;
  return state(std::move(found));
}

std::optional<SourceState> HttpSource::failed(
    std::string why, std::optional<std::chrono::milliseconds> retry_after) {
  back_off_.failed(options_.chance(), retry_after);
  const bool is_new = first_ || away_.empty();
  first_ = false;
  away_ = std::move(why);
  if (!is_new) return std::nullopt;
  return state({});
}

SourceState HttpSource::state(std::vector<Mistake> found) const {
  SourceState state;
  if (good_) state.parts.push_back(good_);
  state.mistakes = mistakes_;
  state.found = std::move(found);
  state.away = away_;
  return state;
}

}  // namespace toolway::tools::loaders
