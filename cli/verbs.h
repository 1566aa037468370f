#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/durability.h"
#include "cli/audit/commands.h"
#include "cli/authoring/commands.h"
#include "cli/bench/options/commands.h"
#include "cli/client/verbs.h"
#include "cli/demo/demo.h"
#include "cli/dev/dev.h"
#include "cli/keys/commands.h"
#include "cli/mcp_check/verbs.h"
#include "cli/mcp_serve/verbs.h"
#include "cli/mock/verbs.h"
#include "cli/policies/commands.h"
#include "cli/process/processes.h"
#include "cli/replay/replay.h"
#include "cli/specs/verbs.h"
#include "cli/switches/commands.h"
#include "cli/talk/chat_process.h"
#include "cli/talk/commands.h"
#include "cli/terminal/view_options.h"

namespace CLI {
class App;
}

namespace toolway::cli {

/// Everything that the command line can set, and the verb that was chosen.
struct Chosen {
  process::ProcessOptions process;
  std::string postgres_file;
  dev::DevOptions dev;
  demo::DemoOptions demo;
  bench::options::BenchOptions bench;
  const Clock* clock = nullptr;  ///< of the program; outlives the verb
  client::ClientContext client;
  std::string ns;    ///< of tools
  std::string tool;  ///< of tools show
  terminal::ViewOptions view;
  std::string name;  ///< of a session or call
  client::CallOptions call;
  mcp_check::McpOptions mcp;
  mcp_serve::ServeOptions mcp_serve;
  client::WatchOptions watch;
  client::OpenOptions open;
  client::CloseOptions close;
  client::DeleteOptions deletion;
  client::MailboxOptions mailbox;
  client::CallListOptions calls;
  client::RetryOptions retry;
  client::LogOptions logs;
  client::TopOptions top;
  client::ResultOptions result;
  client::CancelOptions cancel;
  client::AnswerOptions answer;
  client::ApprovalListOptions approvals;
  replay::ReplayOptions replay;
  specs::SpecsOptions specs;
  mock::MockCheckOptions mock;
  switches::SwitchOptions switches;
  policies::PolicyOptions policies;
  keys::KeyOptions keys;
  audit::AuditOptions audit;
  authoring::AloneOptions alone;
  talk::TalkOptions talk;
  talk::ServeOptions script;
  talk::ChatProcessOptions chat;
  struct {
    std::vector<std::string> words;
    std::string shell;
    std::string into;
    std::size_t width = 80;
  } help;
  unsigned limit = 50;
  std::function<int()> verb;
};

// Each adds verbs, or options that several verbs have, to `app`; what they choose is in `chosen`.
/// All of them.
void add_verbs(CLI::App& app, Chosen& chosen);
void add_processes(CLI::App& app, Chosen& chosen);
/// To the verb `chat`, which is there already.
void add_chat_process(CLI::App& app, Chosen& chosen);
void add_stacks(CLI::App& app, Chosen& chosen);
void add_client(CLI::App& app, Chosen& chosen);
void add_specs(CLI::App& app, Chosen& chosen);
void add_mock_verbs(CLI::App& app, Chosen& chosen);
void add_mcp(CLI::App& app, Chosen& chosen);
/// To the verb `mcp`: what speaks to a gateway.
void add_mcp_serve(CLI::App& mcp, Chosen& chosen);
void add_help(CLI::App& app, Chosen& chosen);

/// Of verbs for people and scripts: a variable that is not set must not mean "not given".
void refuse_empty_values(CLI::App& app);
/// The first `--name=`, whose value the parser would take from the next word; empty: none.
std::string without_value(const std::vector<std::string>& words);

void add_tools(CLI::App& app, std::string& root, std::vector<std::string>& specs,
               std::string& token_file, std::string& env);
/// `--durability`, whose word goes to `chosen`. `text` says what it does.
void add_durability(CLI::App& app, std::function<void(Durability)> chosen, const std::string& text);
void add_python(CLI::App& app, std::string& python, std::vector<std::string>& path);
void add_kinds(CLI::App& app, std::string& python, std::vector<std::string>& path,
               std::string& sandbox);
void add_settings(CLI::App& app, std::vector<std::string>& settings, std::string& secrets);
void add_mocks(CLI::App& app, process::MockFlags& mocks);
void add_telemetry(CLI::App& app, std::string& otlp, std::optional<double>& trace_sample);
void add_logging(CLI::App& app, std::string& level, std::string& format);
void add_park_after(CLI::App& app, std::optional<unsigned>& seconds);
void add_webhook_secrets(CLI::App& app, std::string& file);

}  // namespace toolway::cli
