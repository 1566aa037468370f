#include "monitoring/metrics.h"

#include <fmt/format.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <unordered_map>

#include "monitoring/metric_names.h"
#include "monitoring/metric_table.h"

namespace toolway::monitoring {
namespace {

using Labels = std::map<std::string, std::string>;

const prometheus::Histogram::BucketBoundaries kSeconds{
    0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.025, 0.05, 0.1,
    0.25,   0.5,   1,     2.5,   5,     10,     30,   60,    120,   300};

class PrometheusCounter final : public Counter {
 public:
  explicit PrometheusCounter(prometheus::Counter& counter) : counter_(counter) {}
  void add(double amount) override { counter_.Increment(amount); }
  double value() const override { return counter_.Value(); }

 private:
  prometheus::Counter& counter_;
};

class PrometheusGauge final : public Gauge {
 public:
  explicit PrometheusGauge(prometheus::Gauge& gauge) : gauge_(gauge) {}
  void set(double value) override { gauge_.Set(value); }
  void add(double amount) override { gauge_.Increment(amount); }
  double value() const override { return gauge_.Value(); }

 private:
  prometheus::Gauge& gauge_;
};

class PrometheusHistogram final : public Histogram {
 public:
  explicit PrometheusHistogram(prometheus::Histogram& histogram) : histogram_(histogram) {}
  void observe(std::chrono::duration<double> value) override { histogram_.Observe(value.count()); }
  void observe(std::chrono::duration<double> value, const TraceContext&) override { observe(value); }

 private:
  prometheus::Histogram& histogram_;
};

const MetricDescription& description(std::string_view name, MetricType type) {
  for (const MetricDescription& metric : metric_table()) {
    if (metric.name == name && metric.type == type) return metric;
  }
  fmt::print(stderr, "metric {} is not in monitoring/metric_table.cc with this type\n", name);
  std::abort();
}

/// `mutex_` protects the maps; instruments are lock-free (counters, gauges) or
/// lock themselves, and stay where they are as long as the registry.
class PrometheusMetrics final : public Metrics {
 public:
  explicit PrometheusMetrics(std::string_view process) {
    gauge(kBuildInfo, Labels{{"version", TOOLWAY_VERSION}, {"process", std::string(process)}})
        .set(1);
  }

  Counter& counter(std::string_view name) override { return counter(name, Labels{}); }
  Gauge& gauge(std::string_view name) override { return gauge(name, Labels{}); }
  Histogram& histogram(std::string_view name) override { return histogram(name, Labels{}); }
  Counter& counter(std::string_view name, const CallKey& key) override {
    return counter(name, labels(key));
  }
  Histogram& histogram(std::string_view name, const CallKey& key) override {
    return histogram(name, labels(key));
  }
  Counter& counter(std::string_view name, std::string_view label,
                   std::string_view value) override {
    return counter(name, Labels{{std::string(label), std::string(value)}});
  }
  Gauge& gauge(std::string_view name, std::string_view label, std::string_view value) override {
    return gauge(name, Labels{{std::string(label), std::string(value)}});
  }
  Histogram& histogram(std::string_view name, std::string_view label,
                       std::string_view value) override {
    return histogram(name, Labels{{std::string(label), std::string(value)}});
  }

  Counter& counter(std::string_view name, std::initializer_list<Label> list) override {
    return counter(name, labels(list));
  }
  Gauge& gauge(std::string_view name, std::initializer_list<Label> list) override {
    return gauge(name, labels(list));
  }
  Histogram& histogram(std::string_view name, std::initializer_list<Label> list) override {
    return histogram(name, labels(list));
  }

  std::string scrape(Exposition) override {
    return prometheus::TextSerializer().Serialize(registry_.Collect());
  }

 private:
  static Labels labels(const CallKey& key) {
    Labels result{{"tool", std::string(key.tool)}, {"pool", std::string(key.pool)}};
    if (!key.outcome.empty()) result.emplace("outcome", key.outcome);
    return result;
  }

  static Labels labels(std::initializer_list<Label> list) {
    Labels result;
    for (const auto& [label, value] : list) result.emplace(label, value);
    return result;
  }

  static std::string instrument_key(std::string_view name, const Labels& labels) {
    std::string key(name);
    for (const auto& [label, value] : labels) {
      key.append(1, '\0').append(label).append(1, '\0').append(value);
    }
    return key;
  }

  /// The instrument of that name and labels, made by `make` when there is none.
  template <typename Interface, typename Make>
  Interface& find_or_make(
      std::unordered_map<std::string, std::unique_ptr<Interface>>& instruments,
      std::string_view name, const Labels& labels, Make make) {
    const std::scoped_lock lock(mutex_);
    auto& instrument = instruments[instrument_key(name, labels)];
    if (!instrument) instrument = make();
    return *instrument;
  }

  Counter& counter(std::string_view name, const Labels& labels) {
    return find_or_make(counters_, name, labels, [&]() -> std::unique_ptr<Counter> {
      const auto& about = description(name, MetricType::kCounter);
      return std::make_unique<PrometheusCounter>(prometheus::BuildCounter()
                                                     .Name(std::string(name))
                                                     .Help(std::string(about.help))
                                                     .Register(registry_)
                                                     .Add(labels));
    });
  }

  Gauge& gauge(std::string_view name, const Labels& labels) {
    return find_or_make(gauges_, name, labels, [&]() -> std::unique_ptr<Gauge> {
      const auto& about = description(name, MetricType::kGauge);
      return std::make_unique<PrometheusGauge>(prometheus::BuildGauge()
                                                   .Name(std::string(name))
                                                   .Help(std::string(about.help))
                                                   .Register(registry_)
                                                   .Add(labels));
    });
  }

  Histogram& histogram(std::string_view name, const Labels& labels) {
    return find_or_make(histograms_, name, labels, [&]() -> std::unique_ptr<Histogram> {
      const auto& about = description(name, MetricType::kHistogram);
      return std::make_unique<PrometheusHistogram>(prometheus::BuildHistogram()
                                                       .Name(std::string(name))
                                                       .Help(std::string(about.help))
                                                       .Register(registry_)
                                                       .Add(labels, kSeconds));
    });
  }

  prometheus::Registry registry_{prometheus::Registry::InsertBehavior::Merge};
  std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<Counter>> counters_;
  std::unordered_map<std::string, std::unique_ptr<Gauge>> gauges_;
  std::unordered_map<std::string, std::unique_ptr<Histogram>> histograms_;
};

}  // namespace

std::unique_ptr<Metrics> make_metrics(std::string_view process) {
  return std::make_unique<PrometheusMetrics>(process);
}

}  // namespace toolway::monitoring
