#include <fmt/format.h>

#include <cstdio>

#include "base/text.h"
#include "cli/client/reporting.h"
#include "cli/client/verbs.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::client {

int save_result(const ClientContext& context, const ResultOptions& options) {
  auto client = HttpClient::create(context.http);
  if (!client) return report_error(client.error());
  const bool to_file = !options.file.empty();
  std::FILE* out = stdout;
  bool kept = true;
  // The file is made once there is something to write: a refusal leaves none.
  auto opened = [&] {
    if (to_file) out = std::fopen(options.file.c_str(), "wb");
    kept = out != nullptr;
  };
  auto chunk = [&](std::string_view bytes) {
    kept = kept && std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size();
    return kept;
  };
  auto answer = (*client)->stream("/v1/calls/" + percent_encoded(options.call) + "/result", {},
                                  context.http.timeout, opened, chunk);
  if (to_file && out != nullptr && out != stdout) kept = std::fclose(out) == 0 && kept;
  if (!answer) return report_error(answer.error());
  if (answer->status != 200) return report_problem(*answer, context.view.style);
  if (kept) return terminal::kExitOk;
  return report_error({ErrorCode::kInternal,
                       fmt::format("cannot write {}", to_file ? options.file : "standard output")});
}

}  // namespace toolway::cli::client
