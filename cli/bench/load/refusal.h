#pragma once

namespace toolway::cli::bench::load {

/// What to do with an answer that is neither 200 nor 202.
enum class Refusal { kFinal, kElsewhere, kLater };

inline Refusal refusal(int status) {
  if (status == 503 || status == 502 || status == 504) return Refusal::kElsewhere;
  return status == 409 || status == 429 ? Refusal::kLater : Refusal::kFinal;
}

}  // namespace toolway::cli::bench::load
