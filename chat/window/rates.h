#pragma once

#include <array>
#include <cstddef>

namespace toolway::chat::window {

/// What models differ in: each counts its own number of tokens for a text of a kind.
enum class Kind {
  kAround,  ///< what an API writes around messages
  kTools,
  kWord,
  kMachine,  ///< Base64, hashes
  kNumber,
  kSign,
  kBlank,
  kLatin,  ///< its letters with marks
  kGreek,
  kCyrillic,
  kArabic,  ///< and Hebrew
  kDevanagari,
  kIndic,  ///< other scripts of India
  kThai,
  kGeorgian,
  kHan,
  kKana,
  kHangul,
  kOther,
  kImage,  ///< and pages of documents
};
constexpr std::size_t kKinds = 20;

/// Something of each kind.
using ByKind = std::array<double, kKinds>;
double sum(const ByKind& all);

/// Tokens of a provider for one that is likely, by kind: a Kalman filter, whose every observation
/// is what a provider has counted for texts of several kinds together.
class Rates {
 public:
  Rates();
  double tokens(const ByKind& likely) const;
  /// `likely` had `tokens`, give or take `noise`. A part may be negative: what was left out.
  void learn(const ByKind& likely, double tokens, double noise);

 private:
  ByKind rates_;
  std::array<ByKind, kKinds> covariance_{};
};

}  // namespace toolway::chat::window
