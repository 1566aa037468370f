#include "cli/process/spec_sources.h"

#include <algorithm>
#include <functional>

#include "base/bearer_token.h"
#include "base/try.h"
#include "cli/process/named_file.h"
#include "tools/loaders/file_source.h"
#include "tools/loaders/http_source.h"

namespace toolway::cli::process {
namespace {

std::function<Result<std::string>()> token_of(const SpecSourceOptions& options) {
  if (!options.token_file.empty()) {
    return [file = options.token_file]() -> Result<std::string> {
      ASSIGN_OR_RETURN(auto text, read_named_file(file));
      return checked_token(text, "the token file " + file);
    };
  }
  if (options.token.empty()) return {};
  return [token = options.token] { return checked_token(token, "TOOLWAY_SPECS_TOKEN"); };
}

}  // namespace

bool is_url(const std::string& spec) {
  return spec.starts_with("http://") || spec.starts_with("https://");
}

Result<std::vector<std::unique_ptr<tools::loaders::SpecSource>>> make_spec_sources(
    const SpecSourceOptions& options, const tools::loaders::ReadSpecs& read) {
  std::vector<std::unique_ptr<tools::loaders::SpecSource>> sources;
  std::vector<std::filesystem::path> paths;
  const auto token = token_of(options);
  for (const auto& spec : options.specs) {
    if (!is_url(spec)) {
      paths.emplace_back(spec);
      continue;
    }
    // A token that is unusable now is a mistake in how we were started; later it only keeps the
    // source away.
    if (token) {
      RETURN_IF_ERROR(token());
    }
    auto source = tools::loaders::HttpSource::create({.url = spec, .token = token}, read);
    RETURN_IF_ERROR(source);
    sources.push_back(*std::move(source));
  }
  if (!paths.empty())
    sources.push_back(std::make_unique<tools::loaders::FileSource>(std::move(paths), read));
  return sources;
}

tools::specs::Offers offers_of_files(const std::vector<std::string>& specs) {
  tools::specs::Offers offers;
  const auto append = [](auto& to, auto& from, auto name) {
    for (auto& one : from)
      if (std::ranges::none_of(to, [&](const auto& other) {
            return other.ns == one.ns && std::invoke(name, other) == std::invoke(name, one);
          }))
        to.push_back(std::move(one));
  };
  for (const auto& spec : specs) {
    if (is_url(spec)) continue;
    const auto files = tools::loaders::list_spec_files(spec);
    if (!files) continue;
    for (const auto& file : *files) {
      const auto text = tools::loaders::read_spec_file(file);
      if (!text) continue;
      auto more = tools::specs::offers_of(*text, file.string());
      append(offers.prompts, more.prompts, &tools::specs::Prompt::name);
      append(offers.resources, more.resources, &tools::specs::Resource::uri);
    }
  }
  return offers;
}

}  // namespace toolway::cli::process
