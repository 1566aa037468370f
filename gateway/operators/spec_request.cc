#include "gateway/operators/spec_request.h"

#include <fmt/format.h>

#include "base/ids.h"
#include "base/try.h"
#include "gateway/operators/operator_name.h"
#include "gateway/wire/request_body.h"
#include "tools/loaders/repeated_names.h"
#include "tools/model/rollout.h"

namespace toolway::gateway::operators {
namespace {

constexpr unsigned kUnprocessable = 422;
constexpr std::size_t kMaxFiles = 10'000;

wire::HttpResult<void> all_right(Mistakes& mistakes) {
  if (mistakes.count() == 0) return {};
  return wire::refuse(wire::invalid_request(std::move(mistakes).take()));
}

persistence::specs::SpecAuthor read_author(wire::BodyReader& reader) {
  persistence::specs::SpecAuthor author;
  read_short_text(reader, "by", author.who);
  read_short_text(reader, "note", author.note);
  return author;
}

void read_files(wire::BodyReader& body, std::vector<SpecFile>& files) {
  const auto* list = body.list("files");
  if (list == nullptr || list->empty() || list->size() > kMaxFiles)
    return body.wrong("files", fmt::format("expected 1 to {} files", kMaxFiles), "required");
  for (std::size_t i = 0; i < list->size(); ++i) {
    wire::BodyReader reader((*list)[i], body.mistakes(), fmt::format("/files/{}", i));
    SpecFile file;
    read_short_text(reader, "name", file.name);
    if (file.name.empty()) reader.wrong("name", "expected the file's name", "required");
    if (const auto* text = reader.text("text"))
      file.text = *text;
    else
      reader.wrong("text", "expected the file's text, YAML or JSON", "required");
    reader.whole("line", file.line, Range<int>{1, 1'000'000});
    reader.nothing_else();
    files.push_back(std::move(file));
  }
}

/// Where a spec or a mistake is in the client's file, when `text` begins in the middle of it.
int line_in_file(int line, const SpecFile& file) { return line > 0 ? line + file.line - 1 : line; }

wire::Problem refused_specs(const std::vector<Mistake>& found) {
  wire::Problem problem{.error = Error{ErrorCode::kInvalidSpec,
                                       fmt::format("{} {} in specs; nothing was put", found.size(),
                                                   found.size() == 1 ? "mistake" : "mistakes")},
                        .status = kUnprocessable};
  for (const auto& mistake : found) {
    problem.errors.push_back({.place = fmt::format("{}:{}", mistake.place, mistake.line),
                              .message = mistake.message,
                              .keyword = "spec"});
  }
  return problem;
}

wire::HttpResult<VersionRequest> parse_version_request(std::string_view body, bool with_to) {
  ASSIGN_OR_RETURN(auto json, wire::parse_body(body.empty() ? "{}" : body));
  Mistakes mistakes;
  wire::BodyReader reader(json, mistakes);
  VersionRequest request;
  request.author = read_author(reader);
  if (with_to) {
    std::string to;
    read_short_text(reader, "to", to);
    if (!to.empty()) request.to = std::move(to);
  }
  reader.nothing_else();
  RETURN_IF_ERROR(all_right(mistakes));
  return request;
}

}  // namespace

wire::HttpResult<PutRequest> parse_put_request(std::string_view body) {
  ASSIGN_OR_RETURN(const auto parsed, wire::parse_any_body(body));
  RETURN_IF_ERROR(wire::expect_object(parsed.json));
  Mistakes mistakes;
  wire::BodyReader reader(parsed.json, mistakes);
  PutRequest request;
  read_files(reader, request.files);
  reader.whole("rollout", request.rollout,
               Range<unsigned>{tools::model::kLeastRollout, tools::model::kMaxRollout},
               "percent of sessions");
  request.author = read_author(reader);
  reader.nothing_else();
  RETURN_IF_ERROR(all_right(mistakes));
  return request;
}

wire::HttpResult<std::vector<persistence::specs::PutSpec>> read_put_request(
    const PutRequest& request, const tools::loaders::ReadSpecs& read) {
  std::vector<Mistake> mistakes;
  std::vector<tools::loaders::OfferedSpec> specs;
  for (const auto& file : request.files) {
    auto document = read(file.text, file.name);
    for (auto& mistake : document.mistakes) {
      mistake.line = line_in_file(mistake.line, file);
      mistakes.push_back(std::move(mistake));
    }
    if (document.overlay)
      mistakes.push_back({file.name,
                          "an overlay is not stored: `toolway specs put --env NAME` stores the "
                          "specs that it changes",
                          file.line});
    for (auto& spec : document.specs) spec.line = line_in_file(spec.line, file);
    const auto part = tools::loaders::make_part(file.name, std::move(document.specs));
    specs.insert(specs.end(), part->specs.begin(), part->specs.end());
  }
  for (auto& mistake : tools::loaders::repeated_names(specs))
    mistakes.push_back(std::move(mistake));
  auto put = persistence::specs::specs_to_put(specs, request.rollout);
  for (auto& mistake : put.mistakes) mistakes.push_back(std::move(mistake));
  if (!mistakes.empty()) return wire::refuse(refused_specs(mistakes));
  return std::move(put.specs);
}

wire::HttpResult<RemoveRequest> parse_remove_request(std::string_view body) {
  ASSIGN_OR_RETURN(auto json, wire::parse_body(body));
  Mistakes mistakes;
  wire::BodyReader reader(json, mistakes);
  RemoveRequest request;
  reader.texts("names", request.names);
  if (request.names.empty())
    reader.wrong("names", "expected the names of one or more specs", "required");
  reader.flag("candidate", request.candidate);
  request.author = read_author(reader);
  reader.nothing_else();
  RETURN_IF_ERROR(all_right(mistakes));
  for (const auto& name : request.names) RETURN_IF_ERROR(check_spec_name(name));
  return request;
}

wire::HttpResult<VersionRequest> parse_rollback_request(std::string_view body) {
  return parse_version_request(body, true);
}

wire::HttpResult<VersionRequest> parse_promote_request(std::string_view body) {
  return parse_version_request(body, false);
}

wire::HttpResult<void> check_spec_name(std::string_view name) {
  const auto dot = name.find('.');
  if (dot != std::string_view::npos && valid_name(name.substr(0, dot)) &&
      valid_name(name.substr(dot + 1)))
    return {};
  return wire::refuse(
      ErrorCode::kInvalidIdentifier,
      fmt::format(
          "'{}' is not the name of a spec, which is NAMESPACE.NAME, each 1 to 64 characters "
          "of A-Z a-z 0-9 _ -",
          name.substr(0, 128)));
}

wire::Problem spec_problem(Error error) {
  wire::Problem problem{.error = std::move(error)};
  if (problem.error.code == ErrorCode::kInvalidSpec) problem.status = kUnprocessable;
  return problem;
}

}  // namespace toolway::gateway::operators
