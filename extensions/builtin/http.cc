#include "extensions/builtin/http.h"

#include <fmt/format.h>

#include "tools/http/http_url.h"

namespace toolway::extensions::builtin {
namespace {

using tools::specs::Fields;
using tools::specs::NamedMember;
using When = Service::When;

constexpr std::string_view kField = "ask";
constexpr std::string_view kOpaPath = "/v1/data/";

struct Ask final : Action {
  explicit Ask(ServicePtr of) : service(std::move(of)) {}
  std::string text() const override {
    std::string failing;
    if (service->on_failure)
      failing = *service->on_failure == OnFailure::kOpen ? "; without an answer they go on"
                                                         : "; without an answer they are refused";
    return fmt::format("asks {} {}, {} ms at most{}{}", service->url, when_text(),
                       service->timeout.count(),
                       service->format == Service::Format::kOpa ? ", as OPA" : "", failing);
  }
  std::string_view when_text() const {
    switch (service->when) {
      case When::kBefore: return "before calls";
      case When::kAfter: return "about results";
      case When::kBoth: return "before calls and about results";
    }
    return {};
  }
  const ServicePtr service;
};

void read_url(Fields& fields, Service& service) {
  fields.required_text("url", service.url);
  if (service.url.empty()) return;
  const auto url = tools::http::HttpUrl::parse(service.url);
  if (!url) return fields.wrong("url", fmt::format("`url`: {}", url.error().message));
  service.origin = url->origin();
  if (service.format == Service::Format::kOpa && !url->target.starts_with(kOpaPath))
    fields.wrong("url",
                 "with `format: opa`, `url` must be that of a document, such as "
                 "https://opa.example.com/v1/data/toolway/allow");
}

ActionPtr read_ask(const NamedMember& field, Mistakes& mistakes) {
  if (!field.value->is_map()) {
    mistakes.add(field.line,
                 "`ask` must be a mapping: {url: https://policy.example.com/decide, when: before, "
                 "timeout_ms: 500, on_failure: closed, format: toolway}");
    return nullptr;
  }
  const auto before = mistakes.count();
  Fields fields(*field.value, "`ask`", mistakes);
  auto service = std::make_shared<Service>();
  const auto format = fields.choice("format", {"toolway", "opa"});
  if (format == "opa") service->format = Service::Format::kOpa;
  read_url(fields, *service);
  const auto when = fields.choice("when", {"before", "after", "both"});
  service->when = when == "after" ? When::kAfter : when == "both" ? When::kBoth : When::kBefore;
  fields.milliseconds("timeout_ms", service->timeout, {1, kLongestAnswer.count()});
  if (fields.find("on_failure") != nullptr)
    service->on_failure = fields.choice("on_failure", {"closed", "open"}) == "open"
                              ? OnFailure::kOpen
                              : OnFailure::kClosed;
  fields.only({"url", "when", "timeout_ms", "on_failure", "format"});
  return mistakes.count() == before ? std::make_shared<const Ask>(std::move(service)) : nullptr;
}

class Http final : public Extension {
 public:
  Decision before(const Facts& facts) const override {
    Decision decision;
    for (const Rule* rule : facts.rules) {
      const auto* ask = static_cast<const Ask*>(rule->action(kField));
      if (ask == nullptr) continue;
      decision.services.push_back({.service = ask->service, .rule = rule->name});
      decision.because += decision.because.empty() ? rule->name : ", " + rule->name;
    }
    return decision;
  }
};

}  // namespace

ExtensionType http_type() {
  static constexpr std::string_view kActions[]{kField};
  return {.name = "http",
          .priority = Priority::kLow,
          .actions = {kField},
          .read = &read_ask,
          .make = [](const PolicyPtr& policy) -> ExtensionPtr {
            if (!asks_for(*policy, kActions)) return nullptr;
            return std::make_shared<const Http>();
          }};
}

}  // namespace toolway::extensions::builtin
