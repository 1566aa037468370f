// `toolway audit verify`
#include <fmt/format.h>

#include <filesystem>

#include "base/os/seal_key_file.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/audit/open_audit.h"
#include "cli/client/reporting.h"
#include "cli/stack/run_files.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::audit {
namespace {

namespace pa = persistence::audit;

/// Lines that a person is shown; `-o json` has more.
constexpr std::size_t kShown = 1000;

std::string hex_of(std::string_view bytes) {
  std::string digits;
  append_hex(digits, {reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
  return digits;
}

/// Nothing: none was noted.
Result<std::optional<pa::Anchor>> noted_in(const AuditOptions& options) {
  if (options.last.empty()) return std::optional<pa::Anchor>();
  ASSIGN_OR_RETURN(auto anchor, pa::parse_anchor(options.last));
  return std::optional(std::move(anchor));
}

Result<SealKeys> keys_of(const AuditOptions& options) {
  if (!options.keys_file.empty()) return os::read_seal_keys(options.keys_file);
  const auto file = stack::seal_keys_file(data_of(options));
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) return os::read_seal_keys(file);
  return fail(ErrorCode::kInvalidRequest,
              "no seal keys: name the file that your collectors have as --seal-keys with "
              "--seal-keys");
}

Result<pa::Verified> verified(const AuditOptions& options) {
  ASSIGN_OR_RETURN(auto anchor, noted_in(options));
  ASSIGN_OR_RETURN(const auto keys, keys_of(options));
  ASSIGN_OR_RETURN(auto reader, open_audit(options));
  return reader.verify(keys, std::move(anchor), options.clock->wall());
}

OrderedJson json_of(const pa::Verified& found) {
  OrderedJson findings = OrderedJson::array();
  for (const auto& finding : found.findings) {
    OrderedJson one{{"kind", pa::name_of(finding.kind)}, {"number", finding.number}};
    if (finding.other != 0) one["other"] = finding.other;
    if (!finding.key_id.empty()) one["key"] = finding.key_id;
    one["message"] = pa::in_words(finding);
    findings.push_back(std::move(one));
  }
  OrderedJson last;
  if (found.last) last = {{"number", found.last->number}, {"mac", hex_of(found.last->mac)}};
  return {
      {"whole", found.findings.empty() && found.more_findings == 0},
      {"records", found.records},
      {"unsealed", found.unsealed},
      {"late", found.late},
      {"uncheckable", found.uncheckable},
      {"seals", found.seals},
      {"kept_from", found.kept_from ? OrderedJson(pa::day_text(*found.kept_from)) : OrderedJson()},
      {"last_seal", last},
      {"findings", findings},
      {"more_findings", found.more_findings}};
}

std::string plural(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void print(const pa::Verified& found) {
  for (std::size_t i = 0; i < std::min(kShown, found.findings.size()); ++i)
    fmt::print("{}\n", pa::in_words(found.findings[i]));
  const auto more =
      found.more_findings + (found.findings.size() > kShown ? found.findings.size() - kShown : 0);
  if (more > 0) fmt::print("… and {} more\n", more);
  const bool whole = found.findings.empty();
  fmt::print("{} in {}: {}\n", plural(found.records, "record"), plural(found.seals, "seal"),
             whole ? "whole" : "not whole");
  if (found.unsealed > 0)
    fmt::print("{} newer than the last seal, which nothing proves yet\n",
               plural(found.unsealed, "record"));
  if (found.late > 0)
    fmt::print(
        "sealed more than a day after it happened, and nothing proves what it said before: {}, in "
        "seals {} to {}\n",
        plural(found.late, "record"), found.late_from, found.late_to);
  if (found.uncheckable > 0)
    fmt::print("{} cannot be checked, since seals are missing or tell nothing\n",
               plural(found.uncheckable, "record"));
  if (found.kept_from)
    fmt::print("retention has dropped what is older than {}\n", pa::day_text(*found.kept_from));
  if (found.last) fmt::print("the last seal: {}\n", pa::text_of(*found.last));
}

}  // namespace

int verify_audit(const AuditOptions& options) {
  const auto found = verified(options);
  if (!found) return terminal::report_error(options.view, found.error());
  if (options.view.json())
    client::print_json(json_of(*found));
  else
    print(*found);
  const bool whole = found->findings.empty() && found->more_findings == 0;
  return whole ? terminal::kExitOk : terminal::kExitInternal;
}

}  // namespace toolway::cli::audit
