#include "monitoring/otlp/metric_json.h"

#include <cmath>

#include "monitoring/otlp/resource_json.h"

namespace toolway::monitoring {
namespace {

constexpr int kCumulative = 2;  // opentelemetry.proto.metrics.v1.AggregationTemporality

OrderedJson attributes_json(const SeriesLabels& labels) {
  OrderedJson list = OrderedJson::array();
  for (const auto& [name, value] : labels.values) list.push_back(string_attribute(name, value));
  return list;
}

OrderedJson point_json(const SeriesLabels& labels, const MetricPeriod& period) {
  return {{"attributes", attributes_json(labels)},
          {"startTimeUnixNano", nanoseconds(period.start)},
          {"timeUnixNano", nanoseconds(period.now)}};
}

OrderedJson exemplar_json(const Exemplar& exemplar) {
  return {{"timeUnixNano", nanoseconds(exemplar.at)},
          {"asDouble", exemplar.value},
          {"spanId", exemplar.trace.span_id_hex()},
          {"traceId", exemplar.trace.trace_id_hex()}};
}

OrderedJson histogram_json(const FamilySnapshot::OfHistogram& series, const MetricPeriod& period) {
  OrderedJson point = point_json(*series.labels, period);
  std::uint64_t count = 0;
  OrderedJson counts = OrderedJson::array();
  for (const std::uint64_t in_bucket : series.values.counts) {
    count += in_bucket;
    counts.push_back(std::to_string(in_bucket));
  }
  point["count"] = std::to_string(count);
  point["sum"] = series.values.sum;
  point["bucketCounts"] = std::move(counts);
  point["explicitBounds"] = kSecondsBounds;
  if (series.values.exemplars.empty()) return point;
  OrderedJson exemplars = OrderedJson::array();
  for (const auto& of_bucket : series.values.exemplars) exemplars.push_back(exemplar_json(of_bucket.exemplar));
  point["exemplars"] = std::move(exemplars);
  return point;
}

/// In UCUM, as OpenTelemetry asks.
std::string_view unit_of(const MetricDescription& about) {
  if (about.name.ends_with("_seconds") || about.name.ends_with("_seconds_total")) return "s";
  if (about.name.ends_with("_bytes")) return "By";
  return "";
}

/// What a family's data points stand in: `sum`, `gauge` or `histogram`.
OrderedJson metric_json(const MetricDescription& about, OrderedJson points) {
  OrderedJson metric{{"name", about.name}, {"description", about.help}, {"unit", unit_of(about)}};
  switch (about.type) {
    case MetricType::kCounter:
      metric["sum"] = {{"dataPoints", std::move(points)}, {"aggregationTemporality", kCumulative}, {"isMonotonic", true}};
      break;
    case MetricType::kGauge: metric["gauge"] = {{"dataPoints", std::move(points)}}; break;
    case MetricType::kHistogram:
      metric["histogram"] = {{"dataPoints", std::move(points)}, {"aggregationTemporality", kCumulative}};
      break;
  }
  return metric;
}

/// Gathers data points, and closes a request when it has enough of them.
class Requests {
 public:
  Requests(const NamedTexts& resource, std::size_t most) : resource_(resource), most_(most) {}

  void add(const MetricDescription& about, OrderedJson point) {
    points_.push_back(std::move(point));
    if (++count_ < most_) return;
    end_family(about);
    end_request();
  }

  void end_family(const MetricDescription& about) {
    if (points_.empty()) return;
    metrics_.push_back(metric_json(about, std::exchange(points_, OrderedJson::array())));
  }

  void end_request() {
    if (metrics_.empty()) return;
    OrderedJson scope_metrics{{"scope", scope_json()}, {"metrics", std::exchange(metrics_, OrderedJson::array())}};
    OrderedJson resource_metrics{{"resource", resource_json(resource_)},
                                 {"scopeMetrics", OrderedJson::array({std::move(scope_metrics)})}};
    bodies_.push_back(to_text(OrderedJson{{"resourceMetrics", OrderedJson::array({std::move(resource_metrics)})}}));
    count_ = 0;
  }

  std::vector<std::string> bodies() { return std::move(bodies_); }

 private:
  const NamedTexts& resource_;
  const std::size_t most_;
  std::size_t count_ = 0;
  OrderedJson points_ = OrderedJson::array();
  OrderedJson metrics_ = OrderedJson::array();
  std::vector<std::string> bodies_;
};

}  // namespace

std::vector<std::string> metrics_json(const NamedTexts& resource, const MetricSnapshot& snapshot,
                                      const MetricPeriod& period, std::size_t points) {
  Requests requests(resource, points);
  for (const FamilySnapshot& family : snapshot) {
    for (const auto& [labels, value] : family.scalars) {
      if (!std::isfinite(value)) continue;  // JSON has no number for it
      OrderedJson point = point_json(*labels, period);
      point["asDouble"] = value;
      requests.add(*family.about, std::move(point));
    }
    for (const auto& series : family.histograms) requests.add(*family.about, histogram_json(series, period));
    requests.end_family(*family.about);
  }
  requests.end_request();
  return requests.bodies();
}

}  // namespace toolway::monitoring
