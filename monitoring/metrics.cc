#include "monitoring/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <unordered_map>

#include "monitoring/exposition.h"
#include "monitoring/metric_family.h"
#include "monitoring/metric_names.h"
#include "monitoring/metric_registry.h"
#include "monitoring/process_stats.h"

namespace toolway::monitoring {
namespace {

const MetricDescription& description(std::string_view name, MetricType type) {
  for (const MetricDescription& metric : metric_table()) {
    if (metric.name == name && metric.type == type) return metric;
  }
  fmt::print(stderr, "metric {} is not in monitoring/metric_table.cc with this type\n", name);
  std::abort();
}

/// Whether `label` is one of the names in `labels`, which are separated by commas.
bool has_label(std::string_view labels, std::string_view label) {
  while (!labels.empty()) {
    const auto comma = std::min(labels.find(','), labels.size());
    if (labels.substr(0, comma) == label) return true;
    labels.remove_prefix(std::min(comma + 1, labels.size()));
  }
  return false;
}

/// A label that the table does not know is no better than an unknown name: it could hold anything.
void check_labels(const MetricDescription& about, const LabelList& labels) {
  for (const auto& [label, value] : labels) {
    if (has_label(about.labels, label)) continue;
    fmt::print(stderr, "metric {} has no label {} in monitoring/metric_table.cc\n", about.name, label);
    std::abort();
  }
}

LabelList labels_of(const CallKey& key) {
  LabelList labels;
  labels.add("tool", key.tool);
  labels.add("pool", key.pool);
  if (!key.outcome.empty()) labels.add("outcome", key.outcome);
  return labels;
}

LabelList labels_of(std::initializer_list<Label> list) {
  LabelList labels;
  for (const auto& [label, value] : list) labels.add(label, value);
  return labels;
}

template <typename Instrument>
using Families = std::unordered_map<std::string_view, MetricFamily<Instrument>>;

/// `mutex_` protects the families; instruments are used without it.
class AtomicMetrics final : public MetricRegistry {
 public:
  AtomicMetrics(std::string_view process, SeriesBounds bounds) : bounds_(bounds), scrape_time_(gauge(kScrape)) {
    gauge(kBuildInfo, {{"version", TOOLWAY_VERSION}, {"process", process}}).set(1);
  }

  Counter& counter(std::string_view name) override { return counter_at(name, {}); }
  Gauge& gauge(std::string_view name) override { return gauge_at(name, {}); }
  Histogram& histogram(std::string_view name) override { return histogram_at(name, {}); }
  Counter& counter(std::string_view name, const CallKey& key) override { return counter_at(name, labels_of(key)); }
  Histogram& histogram(std::string_view name, const CallKey& key) override {
    return histogram_at(name, labels_of(key));
  }
  Counter& counter(std::string_view name, std::string_view label, std::string_view value) override {
    return counter_at(name, labels_of({{label, value}}));
  }
  Gauge& gauge(std::string_view name, std::string_view label, std::string_view value) override {
    return gauge_at(name, labels_of({{label, value}}));
  }
  Histogram& histogram(std::string_view name, std::string_view label, std::string_view value) override {
    return histogram_at(name, labels_of({{label, value}}));
  }
  Counter& counter(std::string_view name, std::initializer_list<Label> labels) override {
    return counter_at(name, labels_of(labels));
  }
  Gauge& gauge(std::string_view name, std::initializer_list<Label> labels) override {
    return gauge_at(name, labels_of(labels));
  }
  Histogram& histogram(std::string_view name, std::initializer_list<Label> labels) override {
    return histogram_at(name, labels_of(labels));
  }

  std::string scrape(Exposition format) override {
    const auto begin = std::chrono::steady_clock::now();
    std::string text = write_exposition(snapshot(), format);
    scrape_time_.set(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    return text;
  }

  MetricSnapshot snapshot() override {
    refresh_process();
    MetricSnapshot found;
    for (const MetricDescription& about : metric_table()) {
      FamilySnapshot family{.about = &about, .scalars = {}, .histograms = {}};
      for (const auto* series : series_of(counters_, about)) {
        family.scalars.push_back({&series->labels, series->instrument.value()});
      }
      for (const auto* series : series_of(gauges_, about)) {
        family.scalars.push_back({&series->labels, series->instrument.value()});
      }
      for (const auto* series : series_of(histograms_, about)) {
        family.histograms.push_back({&series->labels, series->instrument.values()});
      }
      if (!family.scalars.empty() || !family.histograms.empty()) found.push_back(std::move(family));
    }
    return found;
  }

 private:
  Counter& counter_at(std::string_view name, const LabelList& labels) {
    return at(counters_, name, MetricType::kCounter, labels);
  }
  Gauge& gauge_at(std::string_view name, const LabelList& labels) {
    return at(gauges_, name, MetricType::kGauge, labels);
  }
  Histogram& histogram_at(std::string_view name, const LabelList& labels) {
    return at(histograms_, name, MetricType::kHistogram, labels);
  }

  template <typename Instrument>
  Instrument& at(Families<Instrument>& families, std::string_view name, MetricType type, const LabelList& labels) {
    std::unique_lock lock(mutex_);
    auto family = families.find(name);
    if (family == families.end()) {
      const MetricDescription& about = description(name, type);
      family = families.try_emplace(about.name, about, bounds_).first;
    }
    check_labels(family->second.about(), labels);
    const auto found = family->second.at(labels);
    lock.unlock();
    if (found.over_bound) counter(kSeriesDropped, "metric", name).add();
    return found.instrument;
  }

  /// Where they are; their values are read without the lock.
  template <typename Instrument>
  std::vector<const typename MetricFamily<Instrument>::Series*> series_of(const Families<Instrument>& families,
                                                                         const MetricDescription& about) {
    std::vector<const typename MetricFamily<Instrument>::Series*> found;
    const std::scoped_lock lock(mutex_);
    const auto family = families.find(about.name);
    if (family == families.end()) return found;
    found.reserve(family->second.series().size());
    for (const auto& series : family->second.series()) found.push_back(&series);
    return found;
  }

  void refresh_process() {
    const auto stats = read_process_stats();
    if (!stats) return;
    gauge(kProcessResident).set(stats->resident_bytes);
    gauge(kProcessVirtual).set(stats->virtual_bytes);
    gauge(kProcessThreads).set(stats->threads);
    gauge(kProcessStart).set(stats->start_time);
    gauge(kProcessFds).set(stats->open_fds);
    gauge(kProcessMaxFds).set(stats->max_fds);
    auto& cpu = counter(kProcessCpu);
    // Two scrapes at once must not add the same time twice.
    const std::scoped_lock lock(cpu_mutex_);
    cpu.add(std::max(0.0, stats->cpu_seconds - cpu.value()));
  }

  const SeriesBounds bounds_;
  std::mutex mutex_;
  Families<AtomicCounter> counters_;
  Families<AtomicGauge> gauges_;
  Families<AtomicHistogram> histograms_;
  std::mutex cpu_mutex_;
  Gauge& scrape_time_;  // after what it is made in
};

}  // namespace

std::unique_ptr<MetricRegistry> make_registry(std::string_view process, SeriesBounds bounds) {
  return std::make_unique<AtomicMetrics>(process, bounds);
}

std::unique_ptr<Metrics> make_metrics(std::string_view process) { return make_registry(process); }

}  // namespace toolway::monitoring
