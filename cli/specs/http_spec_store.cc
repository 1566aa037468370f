#include "cli/specs/http_spec_store.h"

#include <algorithm>

#include "base/text.h"
#include "base/try.h"
#include "cli/client/operator_client.h"
#include "cli/client/reporting.h"

namespace toolway::cli::specs {
namespace {

using client::cell;
using client::json_answer;
using persistence::specs::PutOutcome;
using persistence::specs::PutSpec;
using persistence::specs::SpecAuthor;
using persistence::specs::SpecChange;
using persistence::specs::StoredSpec;

OrderedJson by(const SpecAuthor& author) {
  OrderedJson body = {{"by", author.who}};
  if (!author.note.empty()) body["note"] = author.note;
  return body;
}

std::string path_of(const std::string& name, const char* what) {
  return "/v1/specs/" + percent_encoded(name) + what;
}

unsigned percent(const OrderedJson& row) {
  const auto found = row.find("rollout");
  return found != row.end() && found->is_number_unsigned() ? found->get<unsigned>() : 0;
}

std::int64_t number(const OrderedJson& row, const char* field) {
  const auto found = row.find(field);
  return found != row.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

PutOutcome outcome_of(const OrderedJson& row) {
  const auto word = cell(row, "outcome");
  if (word == name_of(PutOutcome::kAdded)) return PutOutcome::kAdded;
  return word == name_of(PutOutcome::kChanged) ? PutOutcome::kChanged : PutOutcome::kUnchanged;
}

SpecChange change_of(const OrderedJson& row) {
  const auto spec = row.value("spec", OrderedJson());
  return {.number = number(row, "number"),
          .what = cell(row, "what"),
          .candidate = row.value("candidate", false),
          .rollout = percent(row),
          .enabled = row.value("enabled", true),
          .digest = cell(row, "digest"),
          .document = spec.is_object() ? to_text(spec) : std::string(),
          .version = cell(row, "version"),
          .who = cell(row, "by"),
          .note = cell(row, "note"),
          .created_at = cell(row, "created_at")};
}

}  // namespace

OrderedJson file_of(const PutSpec& put) {
  auto document = tools::model::to_document(put.spec);
  if (put.spec.kind == tools::model::Kind::kNative) {
    // What its code decides, and no file says.
    for (const char* field : {"input_schema", "output_schema", "pool", "idempotent", "multi_step",
                              "implementation_config"})
      document.erase(field);
  }
  if (!put.enabled) document["enabled"] = false;
  if (put.rollout > 0) document["rollout"] = put.rollout;
  return {{"name", put.origin.empty() ? put.spec.qualified_name() : put.origin},
          {"text", to_text(document)},
          {"line", std::max(put.line, 1)}};
}

Result<std::vector<PutOutcome>> HttpSpecStore::put(std::span<const PutSpec> specs,
                                                   const SpecAuthor& author) {
  std::vector<PutOutcome> outcomes;
  if (specs.empty()) return outcomes;
  auto body = by(author);
  auto& files = body["files"] = OrderedJson::array();
  for (const auto& spec : specs) files.push_back(file_of(spec));
  auto answer = json_answer(gateway_, "POST", "/v1/specs", to_text(body));
  if (!answer && answer.error().code == ErrorCode::kPayloadTooLarge)
    answer.error().message +=
        ": put fewer files at once, start the gateway with a larger --max-body-kib, or put them "
        "into Postgres itself with --postgres-url-file";
  RETURN_IF_ERROR(answer);
  for (const auto& row : answer->value("specs", OrderedJson::array()))
    outcomes.push_back(outcome_of(row));
  if (outcomes.size() == specs.size()) return outcomes;
  return fail(ErrorCode::kInternal, "the gateway's answer does not name every spec");
}

Result<std::vector<StoredSpec>> HttpSpecStore::list() {
  ASSIGN_OR_RETURN(const auto answer, json_answer(gateway_, "GET", "/v1/specs"));
  std::vector<StoredSpec> specs;
  for (const auto& row : answer.value("specs", OrderedJson::array())) {
    specs.push_back({.ns = cell(row, "namespace"),
                     .name = cell(row, "name"),
                     .version = cell(row, "version"),
                     .kind = cell(row, "kind"),
                     .digest = cell(row, "digest"),
                     .revision = number(row, "revision"),
                     .enabled = row.value("enabled", true),
                     .rollout = percent(row),
                     .created_at = cell(row, "created_at")});
  }
  return specs;
}

Result<void> HttpSpecStore::remove(std::span<const std::string> names, Which which,
                                   const SpecAuthor& author) {
  auto body = by(author);
  body["names"] = std::vector<std::string>(names.begin(), names.end());
  body["candidate"] = which == Which::kCandidate;
  RETURN_IF_ERROR(json_answer(gateway_, "POST", "/v1/specs:remove", to_text(body)));
  return {};
}

Result<std::vector<SpecChange>> HttpSpecStore::history(const std::string& name) {
  ASSIGN_OR_RETURN(const auto answer, json_answer(gateway_, "GET", path_of(name, "/history")));
  std::vector<SpecChange> changes;
  for (const auto& row : answer.value("history", OrderedJson::array()))
    changes.push_back(change_of(row));
  return changes;
}

Result<SpecChange> HttpSpecStore::roll_back(const std::string& name,
                                            const std::optional<std::string>& to,
                                            const SpecAuthor& author) {
  auto body = by(author);
  if (to) body["to"] = *to;
  ASSIGN_OR_RETURN(const auto answer,
                   json_answer(gateway_, "POST", path_of(name, "/rollback"), to_text(body)));
  return SpecChange{.number = number(answer, "back_to"),
                    .digest = cell(answer, "digest"),
                    .version = cell(answer, "version")};
}

Result<std::string> HttpSpecStore::promote(const std::string& name, const SpecAuthor& author) {
  ASSIGN_OR_RETURN(const auto answer,
                   json_answer(gateway_, "POST", path_of(name, "/promote"), to_text(by(author))));
  return cell(answer, "digest");
}

}  // namespace toolway::cli::specs
