#include "extensions/services/service_desk.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "extensions/services/webhook.h"
#include "proto/trace.h"
#include "tools/http/trace_headers.h"

namespace toolway::extensions::services {
namespace {

namespace http = tools::http;
using std::chrono::milliseconds;

class Body final : public http::HttpReceiver {
 public:
  Want on_head(const http::HttpHead& head) override {
    status = head.status;
    return status == 200 ? Want::kMore : Want::kNoMore;
  }
  Want on_body(std::string_view piece) override {
    text += piece;
    return Want::kMore;
  }
  int status = 0;
  std::string text;
};

std::string status_in_words(int status) {
  if (status >= 300 && status < 400)
    return fmt::format("it answered {}, and redirects are not followed: name the place itself",
                       status);
  return fmt::format("it answered {}", status);
}

Error unknown_service(const Service& service) {
  return {
      ErrorCode::kNotFound,
      fmt::format("{} is not in the file of --webhook-secrets of this process", service.origin)};
}

Error left_alone(const Service& service, std::chrono::nanoseconds wait) {
  return {ErrorCode::kTimeout,
          fmt::format("{} has failed {} times in a row and is not asked for another {} ms",
                      service.origin, Breaker::kFailures,
                      std::chrono::ceil<milliseconds>(wait).count())};
}

Error too_many() {
  return {ErrorCode::kTimeout, fmt::format("{} questions to services were in progress all the time",
                                           ServiceDesk::kAtOnce)};
}

}  // namespace

class ServiceDesk::Turn {
 public:
  /// Waits for room until `due`.
  Turn(ServiceDesk& desk, MonotonicTime due) : desk_(desk) {
    MutexLock lock(desk_.mutex_);
    taken_ = desk_.room_.wait_until(
        lock, due, [this]() REQUIRES(desk_.mutex_) { return desk_.under_way_ < kAtOnce; });
    if (taken_) ++desk_.under_way_;
  }
  ~Turn() {
    if (!taken_) return;
    const MutexLock lock(desk_.mutex_);
    --desk_.under_way_;
    desk_.room_.notify_one();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  bool taken() const { return taken_; }

 private:
  ServiceDesk& desk_;
  bool taken_ = false;
};

Result<std::shared_ptr<ServiceDesk>> ServiceDesk::start(std::vector<KnownService> services,
                                                        const Clock& clock) {
  ASSIGN_OR_RETURN(auto engine, http::HttpEngine::start({.max_idle_connections = kAtOnce}));
  return std::make_shared<ServiceDesk>(std::move(services), clock, std::move(engine));
}

ServiceDesk::ServiceDesk(std::vector<KnownService> services, const Clock& clock,
                         std::shared_ptr<http::HttpEngine> engine)
    : clock_(clock), engine_(std::move(engine)) {
  for (auto& known : services) services_.push_back({std::move(known), {}});
}

Result<Answer> ServiceDesk::ask(const Service& service, const Question& question, MonotonicTime due,
                                std::stop_token stop) {
  const auto found = std::ranges::find_if(
      services_, [&](const Kept& kept) { return kept.known.origin == service.origin; });
  if (found == services_.end()) return fail(unknown_service(service));
  Breaker::Leave leave;
  {
    const MutexLock lock(mutex_);
    leave = found->breaker.ask(clock_.monotonic());
  }
  if (leave.wait) return fail(left_alone(service, *leave.wait));
  const Turn turn(*this, due);
  auto answer = turn.taken() ? ask_known(*found, service, question, due, stop)
                             : Result<Answer>(fail(too_many()));
  const MutexLock lock(mutex_);
  if (answer)
    found->breaker.answered();
  else if (turn.taken() && !stop.stop_requested())
    found->breaker.failed(clock_.monotonic());
  else if (leave.tries)
    found->breaker.untried(clock_.monotonic());
  return answer;
}

Result<Answer> ServiceDesk::ask_known(Kept& kept, const Service& service, const Question& question,
                                      MonotonicTime due, std::stop_token stop) {
  const auto rest = std::chrono::duration_cast<milliseconds>(due - clock_.monotonic());
  auto text = fetch(kept, service, question, std::max(rest, milliseconds(1)), std::move(stop));
  auto answer = text ? read_answer(*text, service.format, question.phase)
                     : Result<Answer>(fail(std::move(text.error())));
  if (!answer)
    answer.error().message = fmt::format("{}: {}", service.origin, answer.error().message);
  return answer;
}

Result<std::string> ServiceDesk::fetch(const Kept& kept, const Service& service,
                                       const Question& question, milliseconds rest,
                                       std::stop_token stop) {
  const auto now = clock_.wall();
  http::HttpRequest request{.method = "POST", .url = service.url, .ca_file = kept.known.ca_file};
  request.body = question_text(question, service.format, now);
  request.headers = webhook_headers(kept.known.keys, question_id(question), now, *request.body);
  request.headers.push_back({"Content-Type", "application/json"});
  request.headers.push_back({"Accept", "application/json"});
  if (question.call.has_trace())
    http::add_trace(request.headers, proto::trace_of(question.call.trace()));
  request.addresses = kept.known.addresses;
  request.limits = {
      .connect = rest,
      .first_byte = rest,
      .idle = rest,
      .total = rest,
      .max_body_bytes = question.phase == Phase::kBefore ? kMaxAnswerBytes : kMaxResultBytes,
      .max_header_bytes = 16UL * 1024};
  request.replay = http::HttpRequest::Replay::kAllowed;  // the same webhook-id
  Body body;
  const auto end = engine_->run(request, body, std::move(stop));
  if (end.why == http::HttpEnd::Why::kEnough)
    return fail(ErrorCode::kInvalidResult, status_in_words(body.status));
  if (end.why != http::HttpEnd::Why::kComplete) return fail(ErrorCode::kTimeout, end.message);
  if (body.status != 200) return fail(ErrorCode::kInvalidResult, status_in_words(body.status));
  return std::move(body.text);
}

Error no_services() {
  return {ErrorCode::kNotFound,
          "this process was started without --webhook-secrets, and may ask no service"};
}

}  // namespace toolway::extensions::services
