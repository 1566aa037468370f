#include "chat/window/rates.h"

#include <algorithm>
#include <numeric>

namespace toolway::chat::window {
namespace {

/// How far the rates of vocabularies are from 1, as standard deviations: a new model has learned
/// more scripts than an old one.
constexpr ByKind kUnsure{0.5, 0.4, 0.3, 0.15, 0.3, 0.25, 0.3, 0.8, 0.9, 0.6,
                         0.9, 1.2, 1.2, 1.2,  1.2, 0.5,  0.4, 0.7, 0.5, 0.6};
/// By which texts of one kind differ: it is never known better, so that later texts can be learned.
constexpr double kDrift = 0.06;
/// A server that counts otherwise counts something else.
constexpr double kMinRate = 0.1;
constexpr double kMaxRate = 8;

double product(const ByKind& one, const ByKind& other) {
  return std::inner_product(one.begin(), one.end(), other.begin(), 0.0);
}

}  // namespace

double sum(const ByKind& all) { return std::accumulate(all.begin(), all.end(), 0.0); }

Rates::Rates() {
  rates_.fill(1);
  for (std::size_t i = 0; i < kKinds; ++i) covariance_[i][i] = kUnsure[i] * kUnsure[i];
}

double Rates::tokens(const ByKind& likely) const { return product(rates_, likely); }

void Rates::learn(const ByKind& likely, double tokens, double noise) {
  ByKind gain{};
  for (std::size_t i = 0; i < kKinds; ++i) {
    if (likely[i] != 0) covariance_[i][i] += kDrift * kDrift;
  }
  for (std::size_t i = 0; i < kKinds; ++i) gain[i] = product(covariance_[i], likely);
  const auto variance = product(gain, likely) + noise * noise;
  const auto error = tokens - this->tokens(likely);
  for (std::size_t i = 0; i < kKinds; ++i) {
    rates_[i] = std::clamp(rates_[i] + gain[i] * error / variance, kMinRate, kMaxRate);
    for (std::size_t j = 0; j < kKinds; ++j) covariance_[i][j] -= gain[i] * gain[j] / variance;
  }
}

}  // namespace toolway::chat::window
