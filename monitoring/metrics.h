#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

/// Prometheus metrics. Every name stands in metric_names.h, and nowhere else. A
/// label never holds a session, user or call id. prometheus-cpp stays behind
/// this header.
namespace toolway::monitoring {

/// Monotonic count. Thread-safe, lock-free; lives as long as its `Metrics`.
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

/// Seconds, in fixed buckets from 0.5 ms to 5 min.
class Histogram {
 public:
  virtual ~Histogram() = default;
  virtual void observe(std::chrono::duration<double> value) = 0;
};

/// Labels of a call, all of bounded number.
struct CallKey {
  std::string_view tool;  ///< qualified name
  std::string_view pool;
  std::string_view outcome{};  ///< of counters only
};

/// The metrics of one process. Looking up an instrument with labels takes a
/// lock and a hash; keep the reference where that matters.
class Metrics {
 public:
  virtual ~Metrics() = default;
  /// Names from metric_names.h; the first use makes the instrument.
  virtual Counter& counter(std::string_view name) = 0;
  virtual Gauge& gauge(std::string_view name) = 0;
  virtual Histogram& histogram(std::string_view name) = 0;
  virtual Counter& counter(std::string_view name, const CallKey& key) = 0;
  virtual Histogram& histogram(std::string_view name, const CallKey& key) = 0;
  /// One extra label, e.g. {"stream", "CALLS"}; values from a closed set.
  virtual Counter& counter(std::string_view name, std::string_view label,
                           std::string_view value) = 0;
  virtual Gauge& gauge(std::string_view name, std::string_view label, std::string_view value) = 0;
  virtual Histogram& histogram(std::string_view name, std::string_view label,
                               std::string_view value) = 0;
  /// Prometheus text format 0.0.4.
  virtual std::string scrape() = 0;
};

/// `process`: gateway, worker or collector; registers toolway_build_info.
std::unique_ptr<Metrics> make_metrics(std::string_view process);

}  // namespace toolway::monitoring
