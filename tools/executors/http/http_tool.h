#pragma once

#include <memory>

#include "tools/executors/http/http_config.h"
#include "tools/executors/http/http_options.h"
#include "tools/executors/http/http_request.h"
#include "tools/model/tool.h"

namespace toolway::tools::executors::http {

/// What the HTTP tools of a worker share.
struct HttpShared {
  HttpOptions options;
  std::shared_ptr<tools::http::HttpEngine> engine;
};

/// Sends one request, again where that helps, and makes a result of the answer.
class HttpTool final : public model::Tool {
 public:
  /// Errors: kInvalidSpec.
  static Result<std::shared_ptr<const model::Tool>> create(
      model::Spec spec, std::shared_ptr<const HttpShared> shared);
  HttpTool(model::Spec spec, HttpConfig config,
           std::shared_ptr<const tools::http::AddressPolicy> addresses,
           std::shared_ptr<const HttpShared> shared)
      : spec_(std::move(spec)),
        config_(std::move(config)),
        addresses_(std::move(addresses)),
        shared_(std::move(shared)) {}
  const model::Spec& spec() const override { return spec_; }
  model::Execution execute(const Json& arguments, model::ToolContext& context,
                           model::Progress& progress) const override;

 private:
  tools::http::HttpRequest complete(tools::http::HttpRequest request) const;

  const model::Spec spec_;
  const HttpConfig config_;
  const std::shared_ptr<const tools::http::AddressPolicy> addresses_;
  const std::shared_ptr<const HttpShared> shared_;
};

}  // namespace toolway::tools::executors::http
