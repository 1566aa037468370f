#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/text.h"
#include "cli/client/find_call.h"
#include "cli/client/problem.h"
#include "cli/client/reporting.h"
#include "cli/client/verbs.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::client {

int save_result(const ClientContext& context, const ResultOptions& options) {
  const auto found = find_call(context, options.call);
  if (found.id.empty()) return found.status;
  auto client = HttpClient::create(context.http);
  if (!client) return terminal::report_error(context.view, client.error());
  const bool to_file = !options.file.empty();
  std::FILE* out = stdout;
  bool kept = true;
  bool ends_line = true;
  // The file is made once there is something to write: a refusal leaves none.
  int why = 0;
  const auto keep = [&](bool good) {
    if (kept && !good) why = errno;
    kept = kept && good;
  };
  bool began = false;
  auto opened = [&] {
    began = true;
    if (to_file) out = std::fopen(options.file.c_str(), "wb");
    keep(out != nullptr);
  };
  auto chunk = [&](std::string_view bytes) {
    if (kept) keep(std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size());
    ends_line = !bytes.empty() && bytes.back() == '\n';
    return kept;
  };
  auto answer =
      (*client)->stream("/v1/calls/" + percent_encoded(found.id) + "/result",
                        {{"Accept", "application/json"}}, context.http.timeout, opened, chunk);
  if (to_file && out != nullptr && out != stdout) keep(std::fclose(out) == 0);
  if (!answer) return terminal::report_error(context.view, answer.error());
  if (answer->status != 200) return report_problem(context, *answer, {.call = found.id});
  if (!began) return terminal::report_error(context.view, not_a_gateway(*answer));
  // A pipe gets the bytes as they are; a prompt begins a line.
  if (!to_file && context.view.terminal && !ends_line) fmt::print("\n");
  if (kept) return terminal::kExitOk;
  return terminal::report_error(
      context.view, {ErrorCode::kInternal,
                     fmt::format("cannot write {}: {}", to_file ? options.file : "standard output",
                                 std::generic_category().message(why))});
}

}  // namespace toolway::cli::client
