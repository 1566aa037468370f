#include "cli/help/verb_texts.h"

#include <fmt/format.h>

#include <map>

#include "cli/terminal/exit_code.h"

namespace toolway::cli::help {
namespace {

using Examples = std::map<std::string_view, std::vector<std::string>>;

Examples client_examples() {
  return {
      {"tools", {"toolway tools", "toolway tools --session chat", "toolway tools -o name"}},
      {"tools show",
       {"toolway tools show time.get_current_time", "toolway tools show hash_file -o json"}},
      {"tools new",
       {"toolway tools new word_count", "toolway tools new weather --kind http -n shop"}},
      {"tools run",
       {"toolway tools run text.word_count '{\"text\": \"so it goes\"}' --specs my-tools --python-path my-tools",
        "toolway tools run text.word_count @arguments.json --specs my-tools --python-path my-tools -o json"}},
      {"tools disable",
       {"toolway tools disable shop.pay --reason 'bank is away'", "toolway tools disable shop"}},
      {"tools enable", {"toolway tools enable shop.pay", "toolway tools enable shop"}},
      {"tools disabled", {"toolway tools disabled", "toolway tools disabled -o json"}},
      {"extensions check",
       {"toolway extensions check extensions.yaml",
        "toolway extensions check extensions.yaml -o json"}},
      {"extensions put",
       {"toolway extensions put extensions.yaml",
        "toolway extensions put extensions.yaml --by ann"}},
      {"extensions show",
       {"toolway extensions show shop.pay --as ann",
        "toolway extensions show shop.pay --role agent --file extensions.yaml"}},
      {"extensions history", {"toolway extensions history", "toolway extensions history 3"}},
      {"call",
       {"toolway call get_current_time timezone=Asia/Tokyo --wait",
        "toolway call hash_file '{\"path\": \"README.md\"}' --session chat --follow",
        "toolway call report @arguments.json --wait --timeout 600 -o json"}},
      {"watch", {"toolway watch chat", "toolway watch chat --after 0 -o json"}},
      {"session add-namespaces",
       {"toolway session add-namespaces chat -n text,filesystem",
        "toolway session add-namespaces chat -n '*'"}},
      {"session open",
       {"toolway session open chat -n time,filesystem", "toolway session open everything -n '*'"}},
      {"session show", {"toolway session show chat", "toolway session show chat -o json"}},
      {"session list", {"toolway session list", "toolway session list --limit 10 -o name"}},
      {"session close",
       {"toolway session close chat", "toolway session close chat --pending cancel"}},
      {"session delete",
       {"toolway session delete chat --yes", "toolway session delete chat --cancel --yes"}},
      {"session restore", {"toolway session restore chat", "toolway session restore chat -o json"}},
      {"mailbox", {"toolway mailbox chat", "toolway mailbox chat --ack"}},
      {"calls list",
       {"toolway calls list", "toolway calls list chat --state running -o name",
        "toolway calls list --tool hash_file --outcome failed --since 2h --watch"}},
      {"calls show", {"toolway calls show 099a8057", "toolway calls show 099a8057 -o json"}},
      {"calls retry",
       {"toolway calls retry 099a8057 --wait",
        "toolway calls retry 099a8057 --arguments '{\"path\": \"README.md\"}'"}},
      {"calls cancel",
       {"toolway calls cancel 099a8057", "toolway calls cancel 099a8057 --reason 'too slow'"}},
      {"calls answer",
       {"toolway calls answer 099a8057", "toolway calls answer 099a8057 confirm=true"}},
      {"calls result",
       {"toolway calls result 099a8057", "toolway calls result 099a8057 -O result.json"}},
      {"explain", {"toolway explain 099a8057", "toolway explain 099a8057 -o json"}},
      {"logs", {"toolway logs 099a8057", "toolway logs chat", "toolway logs --tool report"}},
      {"top", {"toolway top", "toolway top --once -o json"}},
      {"workers", {"toolway workers", "toolway workers --pool native -o wide"}}};
}

Examples replay_examples() {
  return {
      {"replay",
       {"toolway replay chat --against http://staging:8080 --against-key-file staging.key --ignore /iso8601",
        "toolway replay chat --against mocks --mock-speed 0",
        "toolway replay chat --against mocks --baseline replay.json -o json"}},
  };
}

Examples key_examples() {
  return {{"keys create",
           {"toolway keys create --user ann --role agent --namespaces shop",
            "toolway keys create --user ci --expires 90d --note 'nightly runs' -o json"}},
          {"keys list", {"toolway keys list", "toolway keys list -o json"}},
          {"keys revoke",
           {"toolway keys revoke 0123456789ab", "toolway keys revoke 0123456789ab -o json"}}};
}

Examples audit_examples() {
  return {{"audit verify", {"toolway audit verify", "toolway audit verify -o json"}},
          {"audit export",
           {"toolway audit export --since 7d > week.ndjson",
            "toolway audit export --what call_decided"}}};
}

Examples talk_examples() {
  return {{"talk",
           {"toolway talk --script examples/chat/files.yaml 'What files are there?'",
            "toolway talk --session files --script examples/chat/files.yaml 'Hash one.'"}},
          {"chat check",
           {"toolway chat check --script examples/chat/files.yaml",
            "toolway chat check --script examples/chat/files.yaml -o json"}},
          {"chat serve",
           {"toolway chat serve --script examples/chat/files.yaml",
            "toolway chat serve --script examples/chat/files.yaml --port 9000"}}};
}

Examples approval_examples() {
  return {{"calls approve",
           {"toolway calls approve 099a8057 --user ann",
            "toolway calls approve 099a8057 --user ann --reason 'seen'"}},
          {"calls deny",
           {"toolway calls deny 099a8057 --user ann --reason 'not today'",
            "toolway calls deny 099a8057 --user ann -o json"}},
          {"approvals list",
           {"toolway approvals list --user ann", "toolway approvals list --user ann --state denied",
            "toolway approvals list --user ann -o json"}},
          {"approvals watch",
           {"toolway approvals watch --user ann", "toolway approvals watch --user ann -o json"}}};
}

Examples operator_examples() {
  return {
      {"dev",
       {"toolway dev", "toolway dev --specs my-tools --python-path my-tools",
        "toolway dev --mock mocks.yaml --quiet"}},
      {"demo", {"toolway demo", "toolway demo --examples examples/tools"}},
      {"bench",
       {"toolway bench --rate 1000 --slo 'completion.p99<15ms'", "toolway bench --floor",
        "toolway bench --scenario tests/load/rolling_restart.yaml"}},
      {"gateway",
       {"toolway gateway --http 0.0.0.0:8080 --auth keys",
        "toolway gateway --specs /etc/toolway/specs --loops 4"}},
      {"worker", {"toolway worker", "toolway worker --pool native=64,gpu=2"}},
      {"collector", {"toolway collector", "toolway collector --keep-days 30"}},
      {"migrate", {"toolway migrate", "toolway migrate --pool gpu --replicas 3"}},
      {"specs check",
       {"toolway specs check my-tools --python-path my-tools",
        "toolway specs check my-tools --python-path my-tools --env prod"}},
      {"specs put",
       {"toolway specs put my-tools --python-path my-tools",
        "toolway specs put shop.yaml --rollout 10 --note 'new prices'"}},
      {"specs list", {"toolway specs list", "toolway specs list -o json"}},
      {"specs remove",
       {"toolway specs remove shop.say", "toolway specs remove shop.say --candidate"}},
      {"specs show",
       {"toolway specs show shop.say", "toolway specs show shop.say shop.yaml --env prod"}},
      {"specs history",
       {"toolway specs history shop.say", "toolway specs history shop.say --diff 1 2"}},
      {"specs diff",
       {"toolway specs diff shop.say 1 2", "toolway specs diff shop.say 1 2 -o json"}},
      {"specs rollback",
       {"toolway specs rollback shop.say", "toolway specs rollback shop.say --to 1"}},
      {"specs promote",
       {"toolway specs promote shop.say", "toolway specs promote shop.say --note 'no complaints'"}},
      {"specs from-python",
       {"toolway specs from-python text_tools --python-path my-tools -n text",
        "toolway specs from-python text_tools --python-path my-tools -o json"}},
      {"mock check",
       {"toolway mock check mocks.yaml", "toolway mock check mocks.yaml --specs my-tools"}},
      {"mcp check", {"toolway mcp check servers.yaml", "toolway mcp check servers.yaml -o json"}},
      {"mcp serve",
       {"toolway mcp serve", "toolway mcp serve --url https://tools.example --session chat"}},
      {"help", {"toolway help session open", "toolway help exit-status"}},
      {"version", {"toolway version", "toolway --version"}},
      {"completion",
       {"source <(toolway completion bash)",
        "toolway completion fish > ~/.config/fish/completions/toolway.fish"}},
      {"man", {"toolway man call", "toolway man --into ~/.local/share/man/man1"}}};
}

std::string exit_status_text() {
  std::string text;
  for (const auto& [status, means] : terminal::exit_statuses())
    text += fmt::format("  {:<9} {}\n", status, means);
  return text;
}

constexpr const char* kEnvironment =
    "  TOOLWAY_URL           gateway of the client verbs (--url)\n"
    "  TOOLWAY_USER          user to act as (--user)\n"
    "  TOOLWAY_API_KEY       API key or token for the gateway (--key-file); a secret\n"
    "  TOOLWAY_TOKEN         the same, where TOOLWAY_API_KEY is not set\n"
    "  TOOLWAY_CA_FILE       certificates to trust for https (--ca-file)\n"
    "  https_proxy ...       proxies of the client verbs: also http_proxy, all_proxy,\n"
    "                        no_proxy (--proxy)\n"
    "  TOOLWAY_AI_ENABLED    false: talk and chat check ask no model\n"
    "  TOOLWAY_AI_PROVIDER   openai, openai-responses or anthropic\n"
    "  TOOLWAY_AI_MODEL      the model that talk asks\n"
    "  TOOLWAY_AI_BASE_URL   where it is, instead of the provider's own address\n"
    "  TOOLWAY_AI_ALLOW_ADDRESSES\n"
    "                        what may be reached though it is not public: 127.0.0.1\n"
    "  TOOLWAY_AI_REQUESTS_PER_MINUTE, TOOLWAY_AI_TOKENS_PER_MINUTE\n"
    "                        what the provider allows a process; its requests wait\n"
    "  TOOLWAY_AI_CONFIG     YAML file with provider, model, base_url\n"
    "  OPENAI_API_KEY        key of openai and openai-responses; a secret\n"
    "  OPENAI_API_KEY_FILE, ANTHROPIC_API_KEY_FILE\n"
    "                        a file that has it\n"
    "  ANTHROPIC_API_KEY     key of anthropic; a secret\n"
    "  XDG_STATE_HOME        where talk keeps conversations (~/.local/state)\n"
    "  TOOLWAY_NATS_URL      NATS servers of processes and of tools disable\n"
    "  TOOLWAY_POSTGRES_URL  Postgres of processes and of specs put; a secret\n"
    "  TOOLWAY_SPECS_TOKEN   bearer token for URLs of --specs; a secret\n"
    "  TOOLWAY_SECRET_NAME   the secret NAME of tools, where no file has it\n"
    "  TOOLWAY_NATS_SERVER   another nats-server for dev, demo and bench\n"
    "  NO_COLOR              when it is not empty: no colours (--color)\n"
    "  COLUMNS               width of the terminal, where the system does not tell\n"
    "  OTEL_...              OpenTelemetry's variables, of processes\n";

constexpr const char* kOutput =
    "On a terminal, tables fit its width: long cells end with an ellipsis, and\n"
    "narrow terminals drop the least important columns. Ids are their ends, which\n"
    "verbs accept; times are ages. In a pipe everything is whole, without colours.\n"
    "\n"
    "  -o wide            every column, whole\n"
    "  -o json            the gateway's answer as it is; errors too, on standard\n"
    "                     error, as problem documents\n"
    "  -o name            ids or names alone, one to a line\n"
    "  -o raw             a result that is text as it is, not as JSON (call)\n"
    "  --time=absolute    UTC instead of ages; --time=relative: ages in a pipe\n"
    "  --color=never      no colours; always: in a pipe too (auto, NO_COLOR)\n";

constexpr const char* kArguments =
    "The arguments of a tool are one JSON object:\n"
    "\n"
    "  '{\"timezone\": \"UTC\"}'  on the command line\n"
    "  @FILE                  in a file\n"
    "  -                      on standard input\n"
    "  timezone=UTC n=3       pairs, typed by the tool's schema: numbers, true and\n"
    "                         false, arrays and objects as JSON, text as it is\n"
    "  n:=3 tags:='[\"a\"]'     pairs whose values are JSON, whatever the schema\n"
    "\n"
    "`toolway tools show TOOL` shows which arguments a tool takes.\n";

}  // namespace

std::vector<std::string> examples_of(std::string_view verb) {
  static const Examples all = [] {
    auto examples = client_examples();
    examples.merge(replay_examples());
    examples.merge(key_examples());
    examples.merge(audit_examples());
    examples.merge(talk_examples());
    examples.merge(approval_examples());
    examples.merge(operator_examples());
    return examples;
  }();
  const auto found = all.find(verb);
  return found == all.end() ? std::vector<std::string>{} : found->second;
}

const std::vector<Topic>& topics() {
  static const std::vector<Topic> all{
      {"arguments", "How to give a tool its arguments", kArguments},
      {"environment", "Variables that Toolway reads", kEnvironment},
      {"exit-status", "What an exit status means", exit_status_text()},
      {"output", "Tables, JSON, colours and times", kOutput}};
  return all;
}

}  // namespace toolway::cli::help
