#include "cli/process/spec_sources.h"

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

bool is_url(const std::string& spec) {
  return spec.starts_with("http://") || spec.starts_with("https://");
}

}  // namespace

Result<std::vector<std::unique_ptr<tools::loaders::SpecSource>>> make_spec_sources(
    const SpecSourceOptions& options, const SpecReaders& read) {
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
    auto source = tools::loaders::HttpSource::create({.url = spec, .token = token}, read.urls);
    RETURN_IF_ERROR(source);
    sources.push_back(*std::move(source));
  }
  if (!paths.empty())
    sources.push_back(std::make_unique<tools::loaders::FileSource>(std::move(paths), read.files));
  return sources;
}

}  // namespace toolway::cli::process
