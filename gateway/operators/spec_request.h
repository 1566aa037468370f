#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/wire/problem.h"
#include "persistence/specs/spec_put.h"
#include "tools/loaders/spec_source.h"

/// What operators ask for, read and checked. Pure.
namespace toolway::gateway::operators {

/// A file of specs as the client has it.
struct SpecFile {
  std::string name;  ///< which mistakes name
  std::string text;
  int line = 1;  ///< of the file in which `text` begins
};

/// The body of POST /v1/specs.
struct PutRequest {
  std::vector<SpecFile> files;
  unsigned rollout = 0;  ///< percent of sessions that get all of it as candidates; 0: as it says
  persistence::specs::SpecAuthor author;
};
/// On any thread, of any size. Errors: malformed_json, invalid_request.
wire::HttpResult<PutRequest> parse_put_request(std::string_view body);

/// What the files say, by the parser that gateways read spec files with. On any thread. Errors:
/// invalid_spec (422) with each mistake and its place.
wire::HttpResult<std::vector<persistence::specs::PutSpec>> read_put_request(
    const PutRequest& request, const tools::loaders::ReadSpecs& read);

/// The body of POST /v1/specs:remove.
struct RemoveRequest {
  std::vector<std::string> names;
  bool candidate = false;  ///< only the candidates
  persistence::specs::SpecAuthor author;
};
wire::HttpResult<RemoveRequest> parse_remove_request(std::string_view body);

/// The body of POST /v1/specs/{name}/rollback; that of promote has no `to`. An empty one is `{}`.
struct VersionRequest {
  std::optional<std::string> to;
  persistence::specs::SpecAuthor author;
};
wire::HttpResult<VersionRequest> parse_rollback_request(std::string_view body);
wire::HttpResult<VersionRequest> parse_promote_request(std::string_view body);

/// A spec's `namespace.name` in a path. Errors: invalid_identifier.
wire::HttpResult<void> check_spec_name(std::string_view name);

/// What went wrong with the store of specs, as HTTP says it: a spec that is refused is the client's
/// mistake (422).
wire::Problem spec_problem(Error error);

}  // namespace toolway::gateway::operators
