#include "monitoring/exposition_serializer.h"

#include <prometheus/metric_family.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ostream>
#include <type_traits>

#include "monitoring/label_list.h"

namespace toolway::monitoring {
namespace {

using prometheus::ClientMetric;

/// Empty: not one that we write.
std::string_view type_name(prometheus::MetricType type) {
  if (type == prometheus::MetricType::Counter) return "counter";
  if (type == prometheus::MetricType::Gauge) return "gauge";
  if (type == prometheus::MetricType::Histogram) return "histogram";
  return {};
}

template <typename Number>
void append_number(std::string& text, Number number) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (std::isnan(number)) return void(text += "NaN");
    if (std::isinf(number)) return void(text += number > 0 ? "+Inf" : "-Inf");
  }
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  text.append(digits.data(), end);
}

std::string bound_text(double bound) {
  if (std::isinf(bound)) return bound > 0 ? "+Inf" : "-Inf";
  std::array<char, 400> digits{};  // never 5e-04, which a rule would not name
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), bound, std::chars_format::fixed);
  std::string text(digits.data(), end);
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

/// `le="0.0005"} ` of each bucket. Histograms that follow each other have the same bounds, whose
/// text is made once.
class BucketEnds {
 public:
  const std::vector<std::string>& of(const std::vector<ClientMetric::Bucket>& buckets) {
    const auto same = [](const ClientMetric::Bucket& bucket, double bound) {
      return bucket.upper_bound == bound;
    };
    if (std::ranges::equal(buckets, bounds_, same)) return ends_;
    bounds_.clear();
    ends_.clear();
    for (const auto& bucket : buckets) {
      bounds_.push_back(bucket.upper_bound);
      ends_.push_back("le=\"" + bound_text(bucket.upper_bound) + "\"} ");
    }
    return ends_;
  }

 private:
  std::vector<double> bounds_;
  std::vector<std::string> ends_;
};

/// A little more than the text will need: growing 15 MB step by step would copy them twice.
std::size_t enough_for(const std::vector<prometheus::MetricFamily>& families) {
  constexpr std::size_t kAround = 40;  // suffix, braces, bound and number
  constexpr std::size_t kOfLabel = 4;  // equals sign, quotes and comma
  std::size_t size = 0;
  for (const auto& family : families) {
    const std::size_t line = family.name.size() + kAround;
    size += 2 * (line + family.help.size());
    for (const auto& series : family.metric) {
      std::size_t labels = 0;
      for (const auto& label : series.label)
        labels += label.name.size() + label.value.size() + kOfLabel;
      const std::size_t lines =
          series.histogram.bucket.empty() ? 1 : series.histogram.bucket.size() + 2;
      size += lines * (line + labels);
    }
  }
  return size;
}

class Writer {
 public:
  Writer(Exposition format, const Exemplars& exemplars, std::size_t size)
      : open_metrics_(format == Exposition::kOpenMetrics), exemplars_(exemplars) {
    text_.reserve(size);
  }

  void write(const prometheus::MetricFamily& family) {
    const auto type = type_name(family.type);
    if (type.empty()) return;
    head(family, type);
    for (const auto& series : family.metric) {
      labels_.clear();
      for (const auto& [name, value] : series.label) append_label(labels_, name, value);
      if (family.type == prometheus::MetricType::Counter)
        sample(family.name, "", series.counter.value);
      else if (family.type == prometheus::MetricType::Gauge)
        sample(family.name, "", series.gauge.value);
      else
        histogram(family.name, series.histogram);
    }
  }

  std::string end() {
    if (open_metrics_) text_ += "# EOF\n";
    return std::move(text_);
  }

 private:
  void head(const prometheus::MetricFamily& family, std::string_view type) {
    std::string_view name = family.name;
    // OpenMetrics names a counter without the suffix of its sample.
    if (open_metrics_ && type == "counter" && name.ends_with("_total")) name.remove_suffix(6);
    text_.append("# HELP ").append(name).append(1, ' ');
    for (const char c : family.help) {
      if (c == '\\' || (c == '"' && open_metrics_)) text_ += '\\';
      text_ += c;
    }
    text_.append("\n# TYPE ").append(name).append(1, ' ').append(type).append(1, '\n');
    if (!open_metrics_) return;
    for (const std::string_view unit : {"seconds", "bytes", "ratio"}) {
      if (name.ends_with(unit) && name[name.size() - unit.size() - 1] == '_') {
        text_.append("# UNIT ").append(name).append(1, ' ').append(unit).append(1, '\n');
      }
    }
  }

  template <typename Number>
  void sample(std::string_view name, std::string_view suffix, Number value) {
    text_.append(name).append(suffix);
    if (!labels_.empty()) text_.append(1, '{').append(labels_).append(1, '}');
    text_ += ' ';
    append_number(text_, value);
    text_ += '\n';
  }

  void histogram(std::string_view name, const ClientMetric::Histogram& values) {
    begin_.assign(name).append("_bucket{").append(labels_);
    if (!labels_.empty()) begin_ += ',';
    const auto& ends = ends_.of(values.bucket);
    const auto& exemplars = exemplars_.of(name, labels_);
    auto exemplar = exemplars.begin();
    for (std::size_t i = 0; i < values.bucket.size(); ++i) {
      text_.append(begin_).append(ends[i]);
      append_number(text_, values.bucket[i].cumulative_count);
      if (exemplar != exemplars.end() && exemplar->bucket == i)
        write_exemplar((exemplar++)->exemplar);
      text_ += '\n';
    }
    sample(name, "_sum", values.sample_sum);
    sample(name, "_count", values.sample_count);
  }

  void write_exemplar(const Exemplar& exemplar) {
    if (!open_metrics_) return;
    text_.append(" # {trace_id=\"").append(exemplar.trace.trace_id_hex());
    text_.append("\",span_id=\"").append(exemplar.trace.span_id_hex()).append("\"} ");
    append_number(text_, exemplar.value);
    text_ += ' ';
    const auto us = to_unix_us(exemplar.at);
    append_number(text_, us / 1'000'000);
    std::string fraction = std::to_string(1'000'000 + us % 1'000'000);
    fraction[0] = '.';
    text_ += fraction;
  }

  const bool open_metrics_;
  const Exemplars& exemplars_;
  BucketEnds ends_;
  std::string labels_;  // of the series being written; kept for its capacity, like the next one
  std::string begin_;
  std::string text_;
};

}  // namespace

std::string ExpositionSerializer::Serialize(
    const std::vector<prometheus::MetricFamily>& families) const {
  Writer writer(format_, exemplars_, enough_for(families));
  for (const auto& family : families) writer.write(family);
  return writer.end();
}

void ExpositionSerializer::Serialize(std::ostream& out,
                                     const std::vector<prometheus::MetricFamily>& families) const {
  out << Serialize(families);
}

}  // namespace toolway::monitoring
