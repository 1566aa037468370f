#include "monitoring/otlp/answer.h"

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/text.h"

namespace toolway::monitoring::otlp {

Reception judge(const OtlpAnswer& answer) {
  switch (answer.status) {
    case 0:
    case 429:
    case 502:
    case 503:
    case 504: return Reception::kTryAgain;
    default:
      return answer.status >= 200 && answer.status < 300 ? Reception::kTaken : Reception::kRefused;
  }
}

std::uint64_t rejected_spans(const OtlpAnswer& answer) {
  const auto json = parse_json(answer.body);
  if (!json || !json->is_object()) return 0;
  const auto partial = json->find("partialSuccess");
  if (partial == json->end() || !partial->is_object()) return 0;
  const auto rejected = partial->find("rejectedSpans");
  if (rejected == partial->end()) return 0;
  if (rejected->is_number_unsigned()) return rejected->get<std::uint64_t>();
  if (!rejected->is_string()) return 0;  // 64-bit integers are text in this encoding
  const auto& text = rejected->get_ref<const std::string&>();
  std::uint64_t number = 0;
  return parse_number(text, number) ? number : 0;
}

std::chrono::milliseconds pause_before_retry(const OtlpRetries& retries, const OtlpAnswer& answer,
                                             unsigned failures, double chance) {
  using std::chrono::milliseconds;
  if (answer.retry_after) {
    const auto asked = std::min<std::chrono::seconds>(*answer.retry_after, std::chrono::hours(1));
    return std::clamp<milliseconds>(asked, milliseconds(0), retries.most);
  }
  const double doubled =
      static_cast<double>(retries.first.count()) * std::exp2(std::min(failures, 30U) - 1.0);
  const double whole = std::min(doubled, static_cast<double>(retries.most.count()));
  return milliseconds(static_cast<std::int64_t>(whole * (0.5 + chance / 2)));
}

}  // namespace toolway::monitoring::otlp
