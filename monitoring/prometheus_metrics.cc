#include <fmt/format.h>
#include <prometheus/registry.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "monitoring/exposition_serializer.h"
#include "monitoring/metric_names.h"
#include "monitoring/metric_registry.h"
#include "monitoring/metric_snapshot.h"
#include "monitoring/process_collectable.h"
#include "monitoring/series_index.h"

namespace toolway::monitoring {
namespace {

/// Whether `label` is one of the names in `labels`, which are separated by commas.
bool has_label(std::string_view labels, std::string_view label) {
  while (!labels.empty()) {
    const auto comma = std::min(labels.find(','), labels.size());
    if (labels.substr(0, comma) == label) return true;
    labels.remove_prefix(std::min(comma + 1, labels.size()));
  }
  return false;
}

/// A label that is not in the table could hold anything.
void check_labels(const MetricDescription& about, const LabelList& labels) {
  for (const auto& [label, value] : labels) {
    if (has_label(about.labels, label)) continue;
    fmt::print(stderr, "metric {} has no label {} in monitoring/metric_table.cc\n", about.name,
               label);
    std::abort();
  }
}

std::size_t place_in_table(const prometheus::MetricFamily& family) {
  const auto about = std::ranges::find(metric_table(), family.name, &MetricDescription::name);
  return static_cast<std::size_t>(about - metric_table().begin());
}

/// The metrics of one type by name. Filled at the start, then only read.
template <typename Owned, typename Instrument>
using Families = std::unordered_map<std::string_view, SeriesIndex<Owned, Instrument>>;

class PrometheusMetrics final : public MetricRegistry {
 public:
  PrometheusMetrics(std::string_view process, SeriesBounds bounds) : process_(process) {
    for (const MetricDescription& about : metric_table()) {
      if (about.source == MetricSource::kCollected) continue;
      switch (about.type) {
        case MetricType::kCounter: add(counters_, prometheus::BuildCounter(), about, bounds); break;
        case MetricType::kGauge: add(gauges_, prometheus::BuildGauge(), about, bounds); break;
        case MetricType::kHistogram:
          if (about.unit == MetricUnit::kTokens)
            add(tokens_, prometheus::BuildHistogram(), about, bounds);
          else
            add(histograms_, prometheus::BuildHistogram(), about, bounds);
          break;
      }
    }
    gauge(kScrape);
  }

  std::string scrape(Exposition format) override {
    const auto begin = std::chrono::steady_clock::now();
    const MetricSnapshot now = snapshot();
    std::string text = ExpositionSerializer(format, now.exemplars).Serialize(now.families);
    gauge(kScrape).set(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    return text;
  }

  MetricSnapshot snapshot() override {
    // Exemplars first: the observation of each is then in the buckets.
    MetricSnapshot now{.families = {}, .exemplars = exemplars()};
    // The process before the copies of everything else, which are memory, too.
    now.families = process_.Collect();
    std::ranges::move(registry_.Collect(), std::back_inserter(now.families));
    std::ranges::sort(now.families, {}, place_in_table);
    return now;
  }

 private:
  Counter& find_counter(CounterName name, Labels labels) override {
    return at(counters_, name, labels);
  }
  Gauge& find_gauge(GaugeName name, Labels labels) override { return at(gauges_, name, labels); }
  Histogram& find_histogram(HistogramName name, Labels labels) override {
    return at(histograms_, name, labels);
  }
  AmountHistogram& find_tokens(TokensName name, Labels labels) override {
    return at(tokens_, name, labels);
  }

  template <typename Owned, typename Instrument>
  void add(Families<Owned, Instrument>& families, prometheus::detail::Builder<Owned> builder,
           const MetricDescription& about, SeriesBounds bounds) {
    auto& family =
        builder.Name(std::string(about.name)).Help(std::string(about.help)).Register(registry_);
    families.try_emplace(about.name, about, family, bounds);
  }

  template <typename Owned, typename Instrument>
  Instrument& at(Families<Owned, Instrument>& families, std::string_view name, Labels given) {
    LabelList labels;
    for (const auto& [label, value] : given) labels.add(label, value);
    const auto family = families.find(name);
    if (family == families.end()) {
      fmt::print(stderr, "metric {} is not in monitoring/metric_table.cc\n", name);
      std::abort();
    }
    check_labels(family->second.about(), labels);
    const auto found = family->second.at(labels);
    if (found.over_bound && name != kSeriesDropped.text())
      counter(kSeriesDropped, "metric", name).add();
    return found.instrument;
  }

  Exemplars exemplars() const {
    Exemplars found;
    for (const auto& [name, index] : histograms_) {
      for (const auto* series : index.series())
        found.add(name, series->first, series->second.exemplars());
    }
    return found;
  }

  const ProcessCollectable process_;
  prometheus::Registry registry_;  // owns all values
  Families<prometheus::Counter, PrometheusCounter> counters_;
  Families<prometheus::Gauge, PrometheusGauge> gauges_;
  Families<prometheus::Histogram, PrometheusHistogram> histograms_;
  Families<prometheus::Histogram, PrometheusAmounts> tokens_;
};

}  // namespace

std::unique_ptr<MetricRegistry> make_registry(std::string_view process, SeriesBounds bounds) {
  return std::make_unique<PrometheusMetrics>(process, bounds);
}

std::unique_ptr<Metrics> make_metrics(std::string_view process) { return make_registry(process); }

}  // namespace toolway::monitoring
