#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "monitoring/metrics.h"
#include "tests/support/awaiting.h"

namespace toolway::persistence {

/// Metrics that a test can wait on. A name with a label or a call is one
/// instrument for all of its labels; a histogram counts its observations.
class SignallingMetrics final : public monitoring::Metrics {
 public:
  std::string scrape(monitoring::Exposition) override { return {}; }

  /// Whether the sum of `name` reaches `value` in time.
  template <monitoring::MetricType kType>
  bool reaches(monitoring::MetricName<kType> name, double value) {
    auto& instrument = at(name.text());
    std::unique_lock lock(shared_.mutex);
    return shared_.changed.wait_for(lock, test::kPatience, [&] { return instrument.sum >= value; });
  }

 private:
  monitoring::Counter& find_counter(monitoring::CounterName name, Labels) override {
    return at(name.text());
  }
  monitoring::Gauge& find_gauge(monitoring::GaugeName name, Labels) override {
    return at(name.text()).gauge;
  }
  monitoring::Histogram& find_histogram(monitoring::HistogramName name, Labels) override {
    return at(name.text()).histogram;
  }
  monitoring::AmountHistogram& find_tokens(monitoring::TokensName name, Labels) override {
    return at(name.text()).amounts;
  }

  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
  };
  struct Instrument final : monitoring::Counter {
    explicit Instrument(Shared& state)
        : shared(state), gauge(*this), histogram(*this), amounts(*this) {}
    void add(double amount) override {
      const std::scoped_lock lock(shared.mutex);
      sum += amount;
      shared.changed.notify_all();
    }
    double value() const override {
      const std::scoped_lock lock(shared.mutex);
      return sum;
    }

    struct AsGauge final : monitoring::Gauge {
      explicit AsGauge(Instrument& owner) : instrument(owner) {}
      void set(double value) override {
        const std::scoped_lock lock(instrument.shared.mutex);
        instrument.sum = value;
        instrument.shared.changed.notify_all();
      }
      void add(double amount) override { instrument.add(amount); }
      double value() const override { return instrument.value(); }
      Instrument& instrument;
    };
    struct AsHistogram final : monitoring::Histogram {
      explicit AsHistogram(Instrument& owner) : instrument(owner) {}
      void observe(std::chrono::duration<double>) override { instrument.add(1); }
      void observe(std::chrono::duration<double>, const TraceContext&) override {
        instrument.add(1);
      }
      Instrument& instrument;
    };

    struct AsAmounts final : monitoring::AmountHistogram {
      explicit AsAmounts(Instrument& owner) : instrument(owner) {}
      void observe(double) override { instrument.add(1); }
      Instrument& instrument;
    };

    Shared& shared;
    double sum = 0;
    AsGauge gauge;
    AsHistogram histogram;
    AsAmounts amounts;
  };

  Instrument& at(std::string_view name) {
    const std::scoped_lock lock(names_);
    auto& instrument = instruments_[std::string(name)];
    if (!instrument) instrument = std::make_unique<Instrument>(shared_);
    return *instrument;
  }

  Shared shared_;
  std::mutex names_;
  std::map<std::string, std::unique_ptr<Instrument>> instruments_;
};

}  // namespace toolway::persistence
