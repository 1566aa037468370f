#include "monitoring/otlp/metric_json.h"

#include <prometheus/metric_family.h>

#include <cmath>
#include <optional>
#include <utility>

#include "monitoring/label_list.h"
#include "monitoring/otlp/resource_json.h"

namespace toolway::monitoring::otlp {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;

constexpr int kCumulative = 2;  // opentelemetry.proto.metrics.v1.AggregationTemporality

OrderedJson attributes_json(const ClientMetric& series) {
  OrderedJson list = OrderedJson::array();
  for (const auto& [name, value] : series.label) list.push_back(string_attribute(name, value));
  return list;
}

OrderedJson point_json(const ClientMetric& series, const MetricPeriod& period) {
  return {{"attributes", attributes_json(series)},
          {"startTimeUnixNano", nanoseconds(period.start)},
          {"timeUnixNano", nanoseconds(period.now)}};
}

const Exemplars::OfSeries& exemplars_of(const Exemplars& exemplars, std::string_view metric,
                                        const ClientMetric& series) {
  std::string labels;
  for (const auto& [name, value] : series.label) append_label(labels, name, value);
  return exemplars.of(metric, labels);
}

OrderedJson exemplar_json(const Exemplar& exemplar) {
  return {{"timeUnixNano", nanoseconds(exemplar.at)},
          {"asDouble", exemplar.value},
          {"spanId", exemplar.trace.span_id_hex()},
          {"traceId", exemplar.trace.trace_id_hex()}};
}

/// Here a bucket counts only its own values; in Prometheus also all below it. The bound +Inf is
/// implied.
OrderedJson histogram_json(const ClientMetric& series, const Exemplars::OfSeries& exemplars,
                           const MetricPeriod& period) {
  OrderedJson point = point_json(series, period);
  OrderedJson counts = OrderedJson::array();
  OrderedJson bounds = OrderedJson::array();
  std::uint64_t below = 0;
  for (const auto& bucket : series.histogram.bucket) {
    counts.push_back(std::to_string(bucket.cumulative_count - below));
    below = bucket.cumulative_count;
    if (std::isfinite(bucket.upper_bound)) bounds.push_back(bucket.upper_bound);
  }
  point["count"] = std::to_string(series.histogram.sample_count);
  point["sum"] = series.histogram.sample_sum;
  point["bucketCounts"] = std::move(counts);
  point["explicitBounds"] = std::move(bounds);
  if (exemplars.empty()) return point;
  OrderedJson list = OrderedJson::array();
  for (const auto& of_bucket : exemplars) list.push_back(exemplar_json(of_bucket.exemplar));
  point["exemplars"] = std::move(list);
  return point;
}

/// In UCUM, as OpenTelemetry asks.
std::string_view unit_of(std::string_view name) {
  if (name.ends_with("_seconds") || name.ends_with("_seconds_total")) return "s";
  if (name.ends_with("_bytes")) return "By";
  return "";
}

/// Where a family's data points go: `sum`, `gauge` or `histogram`.
OrderedJson metric_json(const MetricFamily& family, OrderedJson points) {
  OrderedJson metric{
      {"name", family.name}, {"description", family.help}, {"unit", unit_of(family.name)}};
  if (family.type == prometheus::MetricType::Counter) {
    metric["sum"] = {{"dataPoints", std::move(points)},
                     {"aggregationTemporality", kCumulative},
                     {"isMonotonic", true}};
  } else if (family.type == prometheus::MetricType::Gauge) {
    metric["gauge"] = {{"dataPoints", std::move(points)}};
  } else {
    metric["histogram"] = {{"dataPoints", std::move(points)},
                           {"aggregationTemporality", kCumulative}};
  }
  return metric;
}

/// Empty for values that JSON cannot express, and for types that Toolway does not have.
std::optional<OrderedJson> data_point(const MetricFamily& family, const ClientMetric& series,
                                      const Exemplars& exemplars, const MetricPeriod& period) {
  if (family.type == prometheus::MetricType::Histogram) {
    return histogram_json(series, exemplars_of(exemplars, family.name, series), period);
  }
  const bool counter = family.type == prometheus::MetricType::Counter;
  if (!counter && family.type != prometheus::MetricType::Gauge) return std::nullopt;
  const double value = counter ? series.counter.value : series.gauge.value;
  if (!std::isfinite(value)) return std::nullopt;
  OrderedJson point = point_json(series, period);
  point["asDouble"] = value;
  return point;
}

/// Gathers data points, and closes a request when it has enough of them.
class Requests {
 public:
  Requests(const NamedTexts& resource, std::size_t most) : resource_(resource), most_(most) {}

  void add(const MetricFamily& family, OrderedJson point) {
    points_.push_back(std::move(point));
    if (++count_ < most_) return;
    end_family(family);
    end_request();
  }

  void end_family(const MetricFamily& family) {
    if (points_.empty()) return;
    metrics_.push_back(metric_json(family, std::exchange(points_, OrderedJson::array())));
  }

  void end_request() {
    if (metrics_.empty()) return;
    OrderedJson scope_metrics{{"scope", scope_json()},
                              {"metrics", std::exchange(metrics_, OrderedJson::array())}};
    OrderedJson resource_metrics{{"resource", resource_json(resource_)},
                                 {"scopeMetrics", OrderedJson::array({std::move(scope_metrics)})}};
    bodies_.push_back(to_text(
        OrderedJson{{"resourceMetrics", OrderedJson::array({std::move(resource_metrics)})}}));
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
  for (const MetricFamily& family : snapshot.families) {
    for (const ClientMetric& series : family.metric) {
      auto point = data_point(family, series, snapshot.exemplars, period);
      if (point) requests.add(family, std::move(*point));
    }
    requests.end_family(family);
  }
  requests.end_request();
  return requests.bodies();
}

}  // namespace toolway::monitoring::otlp
