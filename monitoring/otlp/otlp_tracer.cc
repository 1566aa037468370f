
#include <thread>

#include "base/ids.h"
#include "base/try.h"
#include "monitoring/metric_names.h"
#include "monitoring/otlp/metric_json.h"
#include "monitoring/otlp/otlp.h"
#include "monitoring/otlp/resource_json.h"
#include "monitoring/otlp/sampler.h"
#include "monitoring/otlp/sender.h"
#include "monitoring/otlp/span_json.h"
#include "monitoring/otlp/span_queue.h"

namespace toolway::monitoring::otlp {
namespace {

using std::chrono::steady_clock;

/// All threads share the queue; the sender belongs to the thread.
class OtlpTracer final : public Tracer {
 public:
  OtlpTracer(OtlpOptions options, MetricRegistry& metrics)
      : options_(std::move(options)),
        sampler_(options_.root_probability),
        resource_(resource_attributes(options_, random_hex(16))),
        metrics_(metrics),
        exported_(metrics.counter(kSpansExported, "result", "exported")),
        dropped_(metrics.counter(kSpansExported, "result", "dropped")),
        failed_(metrics.counter(kSpansExported, "result", "failed")),
        queue_({.waiting = options_.queue,
                .batch = options_.batch,
                .per_second = options_.spans_per_second,
                .delay = options_.delay}),
        sender_(options_, cutoff_),
        thread_([this] { run(); }) {}

  ~OtlpTracer() override {
    cutoff_.set(steady_clock::now() + options_.flush);
    queue_.close();
  }

  TraceContext start(const TraceContext& parent) override {
    if (parent.valid()) return parent.sampled ? parent.child() : parent;
    TraceContext root = TraceContext::root(true);
    return sampler_.samples(root) ? root : parent;
  }

  void end(Span span) override {
    if (!span.context.sampled) return;
    if (queue_.push(std::move(span), steady_clock::now()) == SpanQueue::Pushed::kDropped)
      dropped_.add();
  }

 private:
  void run() {
    auto next_metrics = steady_clock::now() + options_.metric_interval;
    for (;;) {
      const auto spans = queue_.take(next_metrics);
      if (!spans.empty())
        send(spans);
      else if (queue_.closed())
        return send_metrics();  // the last values, which no scrape can get any longer
      const auto now = steady_clock::now();
      if (now < next_metrics) continue;
      send_metrics();
      next_metrics = now + options_.metric_interval;
    }
  }

  void send_metrics() {
    const MetricPeriod period{.start = started_, .now = SystemClock().wall()};
    for (const std::string& body : metrics_json(resource_, metrics_.snapshot(), period)) {
      // Not retried: the next ones say more.
      if (cutoff_.passed() || !sender_.send_once("/v1/metrics", body)) return;
    }
  }

  void send(const std::vector<Span>& spans) {
    const auto count = static_cast<double>(spans.size());
    // After the cutoff nothing is sent, and what was left is counted.
    if (cutoff_.passed()) return failed_.add(count);
    const OtlpAnswer answer = sender_.send("/v1/traces", spans_json(resource_, spans));
    if (judge(answer) != Reception::kTaken) return failed_.add(count);
    const double rejected = std::min(count, static_cast<double>(rejected_spans(answer)));
    exported_.add(count - rejected);
    failed_.add(rejected);
  }

  const OtlpOptions options_;
  const RootSampler sampler_;
  const NamedTexts resource_;
  MetricRegistry& metrics_;
  const WallTime started_ = SystemClock().wall();
  Counter& exported_;
  Counter& dropped_;
  Counter& failed_;
  Cutoff cutoff_;
  SpanQueue queue_;
  Sender sender_;        // of the thread
  std::jthread thread_;  // last: it uses all of the above
};

Result<void> check_endpoint(const std::string& endpoint) {
  const bool http = endpoint.starts_with("http://") || endpoint.starts_with("https://");
  const auto host = endpoint.find("//");
  if (!http || endpoint.size() <= host + 2) {
    return fail(ErrorCode::kInvalidRequest,
                "the OTLP endpoint must be a URL such as http://collector:4318");
  }
  // Not quoted: what comes before an @ may be a password.
  if (endpoint.find_first_of("@?# \t\r\n") != std::string::npos) {
    return fail(
        ErrorCode::kInvalidRequest,
        "the OTLP endpoint must have no user, query, fragment or blank; secrets go into OTEL_EXPORTER_OTLP_HEADERS");
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<Tracer>> start_otlp(OtlpOptions options, MetricRegistry& metrics) {
  RETURN_IF_ERROR(check_endpoint(options.endpoint));
  while (options.endpoint.ends_with('/')) options.endpoint.pop_back();
  return std::make_shared<OtlpTracer>(std::move(options), metrics);
}

}  // namespace toolway::monitoring::otlp
