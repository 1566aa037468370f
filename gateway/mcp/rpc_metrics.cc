#include "gateway/mcp/rpc_metrics.h"

#include <algorithm>
#include <functional>
#include <memory>

#include "base/text.h"
#include "monitoring/metric_names.h"

namespace toolway::gateway::mcp {
namespace {

/// Of both eras; the last one stands for all others.
constexpr std::array<std::string_view, 24> kMethodLabels{"tools/call",
                                                         "tools/list",
                                                         "initialize",
                                                         "ping",
                                                         "logging/setLevel",
                                                         "server/discover",
                                                         "prompts/list",
                                                         "prompts/get",
                                                         "resources/list",
                                                         "resources/templates/list",
                                                         "resources/read",
                                                         "resources/subscribe",
                                                         "resources/unsubscribe",
                                                         "completion/complete",
                                                         "subscriptions/listen",
                                                         "tasks/get",
                                                         "tasks/list",
                                                         "tasks/result",
                                                         "tasks/cancel",
                                                         "tasks/update",
                                                         "notifications/initialized",
                                                         "notifications/cancelled",
                                                         "roots/list",
                                                         "other"};

struct CodeLabel {
  std::int64_t code;
  std::string_view label;
};
constexpr std::array<CodeLabel, 9> kCodeLabels{{{-32700, "-32700"},
                                                {-32600, "-32600"},
                                                {-32601, "-32601"},
                                                {-32602, "-32602"},
                                                {-32603, "-32603"},
                                                {-32020, "-32020"},
                                                {-32021, "-32021"},
                                                {-32022, "-32022"},
                                                {0, "other"}}};

std::size_t method_index(std::string_view method) {
  const auto* found = std::ranges::find(kMethodLabels, method);
  return std::min<std::size_t>(static_cast<std::size_t>(found - kMethodLabels.begin()),
                               kMethodLabels.size() - 1);
}

std::size_t code_index(std::int64_t code) {
  const auto* found = std::ranges::find(kCodeLabels, code, &CodeLabel::code);
  return std::min<std::size_t>(static_cast<std::size_t>(found - kCodeLabels.begin()),
                               kCodeLabels.size() - 1);
}

std::size_t revision_index(std::optional<toolway::mcp::Revision> revision) {
  return revision ? static_cast<std::size_t>(*revision) : toolway::mcp::kRevisions.size();
}

std::string_view revision_label(std::size_t index) {
  return index < toolway::mcp::kRevisions.size()
             ? toolway::mcp::revision_name(toolway::mcp::kRevisions[index])
             : "none";
}

/// A stream that says when its last event was sent.
class MeasuredStream final : public wire::EventStream {
 public:
  MeasuredStream(std::unique_ptr<wire::EventStream> stream, std::function<void()> ended)
      : stream_(std::move(stream)), ended_(std::move(ended)) {}
  loop::Task<Turn> next(std::string& out) override {
    const auto turn = co_await stream_->next(out);
    if (turn == Turn::kEnded) ended_();
    co_return turn;
  }
  void stop() override { stream_->stop(); }
  void quiet_after(std::chrono::milliseconds silence) override { stream_->quiet_after(silence); }
  loop::Task<void> left() override { return stream_->left(); }

 private:
  const std::unique_ptr<wire::EventStream> stream_;
  const std::function<void()> ended_;
};

}  // namespace

std::optional<std::int64_t> error_code_in(std::string_view answer) {
  constexpr std::string_view kError = "\"error\":{\"code\":";
  // Nothing in an id can look like a member: its quotes are escaped.
  const auto error = answer.find(kError);
  if (error == std::string_view::npos || answer.find("\"result\":") < error) return std::nullopt;
  const auto digits = answer.substr(error + kError.size());
  std::int64_t code = 0;
  if (!parse_number(digits.substr(0, digits.find_first_of(",}")), code)) return std::nullopt;
  return code;
}

void RpcMeasured::answered(toolway::mcp::Revision revision, wire::Response& response) {
  if (const auto code = error_code_in(response.body)) metrics_.failed(*code, revision);
  if (!response.events) return metrics_.took(method_, revision, clock_.monotonic() - begun_);
  response.events = std::make_unique<MeasuredStream>(
      std::move(response.events),
      [metrics = &metrics_, clock = &clock_, method = method_, revision, begun = begun_] {
        metrics->took(method, revision, clock->monotonic() - begun);
      });
}

std::string_view method_label(std::string_view method) {
  return kMethodLabels[method_index(method)];
}

std::string client_label(std::string_view name) {
  constexpr std::size_t kMaxCharacters = 64;
  constexpr std::string_view kBesides = " ._-/@";
  if (name.empty()) return "unnamed";
  const auto plain = [kBesides](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kBesides.find(c) != std::string_view::npos;
  };
  const bool fits = name.size() <= kMaxCharacters && std::ranges::all_of(name, plain);
  return fits ? std::string(name) : "other";
}

std::string_view code_label(std::int64_t code) { return kCodeLabels[code_index(code)].label; }

void RpcMetrics::took(std::string_view method, toolway::mcp::Revision revision,
                      std::chrono::nanoseconds time) {
  static_assert(kMethods == kMethodLabels.size());
  const auto row = method_index(method);
  const auto column = revision_index(revision);
  auto& histogram = times_[row][column];
  if (histogram == nullptr)
    histogram =
        &metrics_.histogram(monitoring::kMcpOperation,
                            {{"method", kMethodLabels[row]}, {"revision", revision_label(column)}});
  histogram->observe(time);
}

void RpcMetrics::asked(std::string_view client, toolway::mcp::Revision revision) {
  auto label = client_label(client);
  if (clients_.size() >= kClients && !clients_.contains(label)) label = "other";
  auto& counter = clients_[label][revision_index(revision)];
  if (counter == nullptr)
    counter = &metrics_.counter(
        monitoring::kMcpClientRequests,
        {{"client", label}, {"revision", revision_label(revision_index(revision))}});
  counter->add();
}

void RpcMetrics::failed(std::int64_t code, std::optional<toolway::mcp::Revision> revision) {
  static_assert(kCodes == kCodeLabels.size());
  const auto row = code_index(code);
  const auto column = revision_index(revision);
  auto& counter = errors_[row][column];
  if (counter == nullptr)
    counter = &metrics_.counter(monitoring::kMcpErrors, {{"code", kCodeLabels[row].label},
                                                         {"revision", revision_label(column)}});
  counter->add();
}

}  // namespace toolway::gateway::mcp
