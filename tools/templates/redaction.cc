#include "tools/templates/redaction.h"

#include <algorithm>

#include "base/base64.h"
#include "base/text.h"
#include "tools/templates/http_text.h"

namespace toolway::tools::templates {
namespace {

constexpr std::string_view kShown = "[secret]";

std::string replaced(const std::string& text, std::string_view what, std::string_view by) {
  std::string made;
  std::size_t from = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, from)) {
    made.append(text, from, at - from);
    made.append(by);
    from = at + what.size();
  }
  made.append(text, from);
  return made;
}

/// As forms have it: a space is a plus sign.
std::string form_encoded(const std::string& secret) {
  return replaced(percent_encoded(secret), "%20", "+");
}

std::string lower_percent(std::string encoded) {
  std::size_t digits = 0;  // that are still of a %XX
  for (char& c : encoded) {
    if (c == '%')
      digits = 2;
    else if (digits > 0 && digits-- > 0)
      c = lower_letter(c);
  }
  return encoded;
}

}  // namespace

Redaction::Redaction(const std::vector<std::string>& secrets) {
  for (const auto& secret : secrets) {
    if (secret.empty()) continue;
    auto quoted = to_text(Json(secret));
    quoted.erase(0, 1);
    quoted.pop_back();
    const auto encoded = percent_encoded(secret);
    auto unpadded = base64(secret);
    while (unpadded.ends_with('=')) unpadded.pop_back();
    for (auto& form :
         {secret, encoded, lower_percent(encoded), form_encoded(secret), unpadded, quoted}) {
      if (std::find(forms_.begin(), forms_.end(), form) == forms_.end()) forms_.push_back(form);
    }
  }
  std::stable_sort(forms_.begin(), forms_.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
}

std::string Redaction::text(std::string text) const {
  for (const auto& form : forms_) {
    if (text.find(form) != std::string::npos) text = replaced(text, form, kShown);
  }
  return text;
}

Json Redaction::json(Json value) const {
  if (forms_.empty()) return value;
  if (value.is_string()) return text(value.get<std::string>());
  if (value.is_number()) {
    return std::find(forms_.begin(), forms_.end(), to_text(value)) == forms_.end()
               ? std::move(value)
               : Json(kShown);
  }
  if (value.is_array()) {
    for (auto& item : value) item = json(std::move(item));
    return value;
  }
  if (!value.is_object()) return value;
  Json redacted = Json::object();
  for (auto& [name, member] : value.items()) redacted[text(name)] = json(std::move(member));
  return redacted;
}

}  // namespace toolway::tools::templates
