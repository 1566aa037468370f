// The pack `web_search` against its own server: no key, no network.
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "base/try.h"
#include "cli/client/reporting.h"
#include "cli/demo/packs.h"

namespace toolway::cli::demo {
namespace {

/// The pack's own file, except for where the server is.
Result<void> write_specs(const std::string& from, const std::string& to, const std::string& url) {
  std::ostringstream read;
  read << std::ifstream(from).rdbuf();
  auto text = read.str();
  constexpr std::string_view kBrave = "https://api.search.brave.com";
  for (auto at = text.find(kBrave); at != std::string::npos;
       at = text.find(kBrave, at + url.size())) {
    text.replace(at, kBrave.size(), url);
  }
  if (std::ofstream(to) << text) return {};
  return fail(ErrorCode::kInternal, fmt::format("cannot write {}", to));
}

Result<void> prepare(DemoStage& stage) {
  ASSIGN_OR_RETURN(const auto url, stage.serve("web_search"));
  const auto specs = stage.directory + "/web_search.yaml";
  RETURN_IF_ERROR(write_specs(stage.packs + "/web_search/web_search.yaml", specs, url));
  stage.stack.specs.push_back(specs);
  stage.stack.settings.emplace_back("http.allow_addresses=127.0.0.1");
  // What the pack's server takes unless it is told otherwise.
  return stage.secret("BRAVE_API_KEY", "test-token");
}

void show(Tour& tour) {
  tour.heading("The web_search pack: HTTP tools, against Brave's API on this machine");
  const auto found =
      tour.call("web_search.web_search", {{"query", "durable agents"}, {"count", 3}});
  const auto result = found.value("result", OrderedJson());
  const bool right =
      result.is_object() && result.contains("results") && result["results"].is_array() &&
      !result["results"].empty() &&
      client::cell(result["results"][0], "url") == "https://blog.example/durable-agents";
  tour.check(right,
             "the best page comes first, trimmed to title, url, description, age and language");
  const auto refused = tour.call(
      "web_search.web_search",
      {{"query",
        "a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n o p q r s t u v w x y z"}});
  tour.remember_as_failed(refused);
  tour.check(client::cell(refused, "error").find("search_refused") != std::string::npos,
             "what Brave refuses becomes an error that says why");
}

}  // namespace

DemoPack web_search_in_demo() { return {"web_search", &prepare, &show}; }

}  // namespace toolway::cli::demo
