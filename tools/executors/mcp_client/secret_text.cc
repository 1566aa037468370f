#include "tools/executors/mcp_client/secret_text.h"

#include <fmt/format.h>

namespace toolway::tools::executors::mcp_client {
namespace {

constexpr std::string_view kBegin = "{secret:";

tl::unexpected<Error> wrong_name() {
  return fail(ErrorCode::kInvalidSpec, "a secret's name is 1 to 64 characters of A-Z a-z 0-9 _");
}

}  // namespace

Result<SecretText> SecretText::parse(std::string_view text) {
  SecretText parsed;
  while (true) {
    const auto begin = text.find(kBegin);
    parsed.literals_.back().append(text.substr(0, begin));
    if (begin == std::string_view::npos) return parsed;
    const auto end = text.find('}', begin);
    const auto name = end == std::string_view::npos
                          ? std::string_view()
                          : text.substr(begin + kBegin.size(), end - begin - kBegin.size());
    if (!model::valid_secret_name(name)) return wrong_name();
    parsed.names_.emplace_back(name);
    parsed.literals_.emplace_back();
    text.remove_prefix(end + 1);
  }
}

Result<SecretText> SecretText::of_secret(std::string_view name) {
  if (!model::valid_secret_name(name)) return wrong_name();
  SecretText text;
  text.names_.emplace_back(name);
  text.literals_.emplace_back();
  return text;
}

Result<std::string> SecretText::render(const model::Secrets& secrets) const {
  std::string text = literals_.front();
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto value = secrets.find(names_[i]);
    if (!value) {
      return fail(
          ErrorCode::kNotFound,
          fmt::format("this worker has no secret {0}: put it into a file of --secrets, or set "
                      "TOOLWAY_SECRET_{0}",
                      names_[i]));
    }
    if (value->empty())
      return fail(ErrorCode::kNotFound, fmt::format("secret {} is empty", names_[i]));
    text += *value;
    text += literals_[i + 1];
  }
  return text;
}

}  // namespace toolway::tools::executors::mcp_client
