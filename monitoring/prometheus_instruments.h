#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include "monitoring/exemplars.h"
#include "monitoring/metrics.h"

/// Our instruments over prometheus-cpp's, which own the values.
namespace toolway::monitoring {

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
  void observe(std::chrono::duration<double> value) override;
  void observe(std::chrono::duration<double> value, const TraceContext& trace) override;
  std::vector<BucketExemplar> exemplars() const { return exemplars_.read(); }

 private:
  prometheus::Histogram& histogram_;
  ExemplarSlots exemplars_;
};

class PrometheusAmounts final : public AmountHistogram {
 public:
  explicit PrometheusAmounts(prometheus::Histogram& histogram) : histogram_(histogram) {}
  void observe(double amount) override { histogram_.Observe(amount); }

 private:
  prometheus::Histogram& histogram_;
};

}  // namespace toolway::monitoring
