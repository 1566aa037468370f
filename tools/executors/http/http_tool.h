#pragma once

#include <memory>

#include "tools/executors/http/http_config.h"
#include "tools/executors/http/http_kind.h"
#include "tools/executors/http/http_request.h"
#include "tools/model/tool.h"

namespace toolway::tools {

/// What the HTTP tools of a worker share.
struct HttpShared {
  HttpOptions options;
  std::shared_ptr<HttpEngine> engine;
};

/// Sends one request, again where that helps, and makes a result of the answer.
class HttpTool final : public Tool {
 public:
  /// Errors: kInvalidSpec.
  static Result<std::shared_ptr<const Tool>> create(Spec spec,
                                                    std::shared_ptr<const HttpShared> shared);
  HttpTool(Spec spec, HttpConfig config, std::shared_ptr<const AddressPolicy> addresses,
           std::shared_ptr<const HttpShared> shared)
      : spec_(std::move(spec)),
        config_(std::move(config)),
        addresses_(std::move(addresses)),
        shared_(std::move(shared)) {}
  const Spec& spec() const override { return spec_; }
  Execution execute(const Json& arguments, ToolContext& context, Progress& progress) const override;

 private:
  HttpRequest complete(HttpRequest request) const;

  const Spec spec_;
  const HttpConfig config_;
  const std::shared_ptr<const AddressPolicy> addresses_;
  const std::shared_ptr<const HttpShared> shared_;
};

}  // namespace toolway::tools
