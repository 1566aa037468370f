#pragma once

#include <functional>
#include <string>

#include "base/net/http_client.h"
#include "base/result.h"
#include "tools/loaders/poll_back_off.h"
#include "tools/loaders/spec_source.h"

namespace toolway::tools::loaders {

struct HttpSourceOptions {
  std::string url;
  /// Asked before every request, so that a renewed token is used; empty: none.
  std::function<Result<std::string>()> token{};
  std::chrono::milliseconds interval{5'000};
  std::chrono::milliseconds timeout{30'000};
  std::size_t max_bytes = kMaxSourceBytes;
  /// From 0 to 1; a real source of chance when empty.
  std::function<double()> chance{};
};

/// An endpoint that answers with specs in YAML or JSON; its answer is one part.
/// Asked with If-None-Match, so that what did not change is not sent again.
class HttpSource final : public SpecSource {
 public:
  /// Errors: kInvalidRequest (no http or https URL, or one with a password in it).
  static Result<std::unique_ptr<HttpSource>> create(HttpSourceOptions options, ReadSpecs read);

  SourceKind kind() const override { return SourceKind::kHttp; }
  const std::string& name() const override { return name_; }
  std::optional<SourceState> look(std::stop_token stop) override;
  std::chrono::milliseconds pause() const override { return back_off_.pause(); }

 private:
  HttpSource(HttpSourceOptions options, std::string name, ReadSpecs read);
  Result<net::HttpAnswer> fetch(const std::stop_token& stop);
  std::optional<SourceState> failed(std::string why,
                                    std::optional<std::chrono::milliseconds> retry_after);
  SourceState state(std::vector<Mistake> found) const;

  const HttpSourceOptions options_;
  const std::string name_;
  const ReadSpecs read_;
  net::HttpClient client_;
  PollBackOff back_off_;
  std::string etag_;
  std::string body_digest_;
  std::shared_ptr<const SpecPart> good_;
  std::vector<Mistake> mistakes_;
  std::string away_;
  bool first_ = true;
};

}  // namespace toolway::tools::loaders
