#pragma once

#include "base/json.h"
#include "cli/client/http_client.h"
#include "persistence/specs/spec_store.h"

namespace toolway::cli::specs {

/// The specs that the database of a gateway keeps, through that gateway. Errors: also
/// kPermissionDenied, kBusUnavailable (it does not answer), kTimeout.
class HttpSpecStore final : public persistence::specs::SpecStore {
 public:
  explicit HttpSpecStore(client::ClientOptions gateway) : gateway_(std::move(gateway)) {}

  Result<std::vector<persistence::specs::PutOutcome>> put(
      std::span<const persistence::specs::PutSpec> specs,
      const persistence::specs::SpecAuthor& author) override;
  Result<std::vector<persistence::specs::StoredSpec>> list() override;
  Result<void> remove(std::span<const std::string> names, Which which,
                      const persistence::specs::SpecAuthor& author) override;
  Result<std::vector<persistence::specs::SpecChange>> history(const std::string& name) override;
  Result<persistence::specs::SpecChange> roll_back(
      const std::string& name, const std::optional<std::string>& to,
      const persistence::specs::SpecAuthor& author) override;
  Result<std::string> promote(const std::string& name,
                              const persistence::specs::SpecAuthor& author) override;

 private:
  const client::ClientOptions gateway_;
};

/// A spec as a file says it, so that a gateway reads the same spec from it. Pure.
OrderedJson file_of(const persistence::specs::PutSpec& put);

}  // namespace toolway::cli::specs
