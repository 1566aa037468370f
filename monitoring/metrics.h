#pragma once

#include <chrono>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/trace_context.h"
#include "monitoring/metric_names.h"

/// Prometheus metrics. Every name is in metric_names.h, and nowhere else. A label never holds a
/// session, user or call id: one that is not in metric_table.cc aborts.
namespace toolway::monitoring {

/// Monotonic count: ignores negative amounts. Thread-safe, lock-free; lives as long as its
/// `Metrics`.
class Counter {
 public:
  virtual ~Counter() = default;
  virtual void add(double amount = 1) = 0;
  virtual double value() const = 0;
};

class Gauge {
 public:
  virtual ~Gauge() = default;
  virtual void set(double value) = 0;
  virtual void add(double amount) = 0;
  virtual double value() const = 0;
};

/// Seconds, in fixed buckets from 0.5 ms to 5 min; negative ones count as 0. Thread-safe: one mutex
/// each.
class Histogram {
 public:
  virtual ~Histogram() = default;
  virtual void observe(std::chrono::duration<double> value) = 0;
  /// The same; a sampled `trace` becomes the exemplar of the bucket, in place of an older one.
  virtual void observe(std::chrono::duration<double> value, const TraceContext& trace) = 0;
};

/// Tokens, in buckets from 1 to 67,108,864. Thread-safe: one mutex each.
class AmountHistogram {
 public:
  virtual ~AmountHistogram() = default;
  virtual void observe(double amount) = 0;
};

/// Labels of a call, each with a bounded number of values.
struct CallKey {
  std::string_view tool;  ///< qualified name
  std::string_view pool;
  std::string_view outcome{};  ///< of counters only
};

/// A label's name, and its value from a closed set.
using Label = std::pair<std::string_view, std::string_view>;

enum class Exposition {
  kPrometheusText,  ///< text/plain; version=0.0.4
  kOpenMetrics,     ///< application/openmetrics-text; version=1.0.0, with exemplars
};

/// The metrics of one process. Looking up an instrument with labels takes a
/// lock and a hash; keep the reference where that matters.
class Metrics {
 public:
  using Labels = std::initializer_list<Label>;

  virtual ~Metrics() = default;
  /// Names from metric_names.h, and labels with values from a closed set; the first use makes the
  /// instrument.
  Counter& counter(CounterName name, Labels labels = {}) { return find_counter(name, labels); }
  Gauge& gauge(GaugeName name, Labels labels = {}) { return find_gauge(name, labels); }
  Histogram& histogram(HistogramName name, Labels labels = {}) {
    return find_histogram(name, labels);
  }
  AmountHistogram& tokens(TokensName name, Labels labels = {}) { return find_tokens(name, labels); }
  Counter& counter(CounterName name, const CallKey& key) {
    if (key.outcome.empty()) return counter(name, {{"tool", key.tool}, {"pool", key.pool}});
    return counter(name, {{"tool", key.tool}, {"pool", key.pool}, {"outcome", key.outcome}});
  }
  Histogram& histogram(HistogramName name, const CallKey& key) {
    return histogram(name, {{"tool", key.tool}, {"pool", key.pool}});
  }
  /// One label, e.g. "stream", "CALLS".
  Counter& counter(CounterName name, std::string_view label, std::string_view value) {
    return counter(name, Labels{{label, value}});
  }
  Gauge& gauge(GaugeName name, std::string_view label, std::string_view value) {
    return gauge(name, Labels{{label, value}});
  }
  Histogram& histogram(HistogramName name, std::string_view label, std::string_view value) {
    return histogram(name, Labels{{label, value}});
  }
  virtual std::string scrape(Exposition format = Exposition::kPrometheusText) = 0;

 private:
  virtual Counter& find_counter(CounterName name, Labels labels) = 0;
  virtual Gauge& find_gauge(GaugeName name, Labels labels) = 0;
  virtual Histogram& find_histogram(HistogramName name, Labels labels) = 0;
  virtual AmountHistogram& find_tokens(TokensName name, Labels labels) = 0;
};

/// `process`: gateway, worker or collector; registers toolway_build_info.
std::unique_ptr<Metrics> make_metrics(std::string_view process);

}  // namespace toolway::monitoring
