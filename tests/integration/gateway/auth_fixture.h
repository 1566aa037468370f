#pragma once

#include <fmt/format.h>
#include <sys/stat.h>

#include <fstream>
#include <map>
#include <thread>

#include "extensions/auth/api_key.h"
#include "extensions/reader/stored_policy.h"
#include "gateway/auth/authority.h"
#include "proto/toolway/v1/api_key.pb.h"
#include "tests/integration/gateway/gateway_fixture.h"
#include "tests/integration/gateway/http_client.h"
#include "tests/support/temp_dir.h"
#include "tests/support/write_entry.h"
#include "tests/unit/extensions/auth/token_signer.h"

namespace toolway::test {

using extensions::auth::TokenSigner;

/// A gateway that asks its callers who they are, on a bus in memory, and an issuer of tokens that
/// it believes.
class AskingGateway : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(memory_->provision({.pools = {{"native", 1}}}));
    store_ = std::make_unique<MemoryStore>(*memory_);
    serve({ec_.jwk(), rsa().jwk()});
    start({.keys = true, .jwt = true});
  }
  void start(gateway::auth::Methods methods) {
    gateway_.reset();
    authority_.reset();
    metrics_ = monitoring::make_metrics("gateway");
    gateway::GatewayOptions options{.port = 0, .accept_deadline = std::chrono::milliseconds(500)};
    options.edge.operator_token_file = operator_file_;
    options.edge.public_url = public_url_;
    std::unique_ptr<gateway::auth::IssuerKeys> issuers;
    if (methods.jwt) {
      auto started = gateway::auth::IssuerKeys::start(
          config(),
          [this](const auto&, std::stop_token) -> Result<std::string> {
            const std::scoped_lock lock(mutex_);
            ++fetched_;
            return key_set_;
          },
          clock_);
      ASSERT_TRUE(started) << started.error().message;
      issuers = *std::move(started);
    }
    authority_ =
        std::make_shared<gateway::auth::Authority>(*memory_, clock_, methods, std::move(issuers));
    options.authority = authority_;
    options.specs = specs();
    auto gateway =
        gateway::server::start_gateway(bus(), *store_, live_, *metrics_, clock_, options);
    ASSERT_TRUE(gateway) << gateway.error().message;
    gateway_ = std::move(*gateway);
    for (int i = 0; i < 500 && !ready(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_TRUE(ready()) << ask("GET /readyz");
  }
  /// What operators change; null: nothing.
  virtual persistence::specs::SpecStore* specs() { return nullptr; }
  /// What the gateway has for a bus.
  virtual bus::Bus& bus() { return *memory_; }
  bool ready() {
    const auto answer = ask("GET /readyz");
    return status(answer) == 200 && body(answer)["auth"] == "ok";
  }
  gateway::auth::AuthConfig config() const {
    gateway::auth::AuthConfig config;
    config.issuers.resize(1);
    auto& rules = config.issuers.front().rules;
    rules.issuer = "https://login.example";
    rules.audiences = {"toolway"};
    rules.tenant = "acme";
    rules.roles_claim = "roles";
    rules.namespaces_claim = namespaces_claim_;
    config.issuers.front().keys.url = "https://login.example/jwks.json";
    return config;
  }
  /// What the issuer's URL gives from now on.
  void serve(std::vector<Json> jwks) {
    const std::scoped_lock lock(mutex_);
    key_set_ = to_text(Json{{"keys", std::move(jwks)}});
  }
  int fetched() {
    const std::scoped_lock lock(mutex_);
    return fetched_;
  }

  std::string ask(const std::string& line, const std::string& body = "",
                  const std::string& headers = "") {
    return test::ask(gateway_->port(), line, body, headers);
  }
  static std::string bearer(std::string_view token) {
    return fmt::format("authorization: Bearer {}\r\n", token);
  }
  static std::string code(const std::string& response) { return body(response).value("code", ""); }
  static std::string detail(const std::string& response) {
    return body(response).value("detail", "");
  }

  /// As `toolway keys create` writes it; the key. Waits until the gateway takes it.
  std::string add_key(const std::string& user, v1::ApiKeyRecord record = {}) {
    const auto key = extensions::auth::make_api_key();
    if (record.tenant_id().empty()) record.set_tenant_id("acme");
    record.set_user_id(user);
    record.set_sha256(extensions::auth::api_key_digest(key.text));
    records_[key.text] = record;
    write_entry(*memory_, proto::kApiKeysBucket, key.id, record.SerializeAsString());
    for (int i = 0; i < 500 && authority_->keys().size() < records_.size(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return key.text;
  }
  /// As `toolway keys revoke` writes it.
  void revoke(const std::string& key) {
    records_[key].set_revoked_at_us(to_unix_us(clock_.wall()));
    write_entry(*memory_, proto::kApiKeysBucket, std::string(*extensions::auth::api_key_id(key)),
                records_[key].SerializeAsString());
  }
  void put_policy(const std::string& text) {
    write_entry(
        *memory_, proto::kPoliciesBucket, std::string(extensions::reader::kPolicyKey),
        extensions::reader::encode(
            {.number = ++policy_, .by = "ann", .at = "2026-01-01T00:00:00Z", .text = text}));
  }

  std::int64_t at(std::int64_t offset) const {
    return std::chrono::floor<std::chrono::seconds>(clock_.wall()).time_since_epoch().count() +
           offset;
  }
  Json claims(std::int64_t offset = 300) const {
    return {
        {"iss", "https://login.example"}, {"aud", "toolway"}, {"sub", "ann"}, {"exp", at(offset)}};
  }
  Json with(const char* name, const Json& value) const {
    return extensions::auth::with_claim(claims(), name, value);
  }
  Json without(const char* name) const { return extensions::auth::without_claim(claims(), name); }
  std::string good() const { return ec_.sign(claims(), "ES256"); }
  /// Made once: it takes a while.
  static const TokenSigner& rsa() {
    static const TokenSigner made = TokenSigner::rsa(2048, "rsa");
    return made;
  }

  std::string public_url_;        ///< of the next start
  std::string namespaces_claim_;  ///< likewise
  const TempDir dir_;
  const std::string operator_file_ = [this] {
    const auto file = (dir_.path() / "operator").string();
    std::ofstream(file) << "the-operators-token";
    chmod(file.c_str(), 0600);
    return file;
  }();
  const TokenSigner ec_ = TokenSigner::ec("P-256", "ec");
  std::unique_ptr<bus::InMemoryBus> memory_ = bus::make_in_memory_bus();
  std::unique_ptr<monitoring::Metrics> metrics_;
  SystemClock clock_;
  tools::model::LiveRegistry live_{tools::samples::sample_registry()};
  std::unique_ptr<MemoryStore> store_;
  std::mutex mutex_;
  std::string key_set_;
  int fetched_ = 0;
  std::uint64_t policy_ = 0;
  std::map<std::string, v1::ApiKeyRecord> records_;
  std::shared_ptr<gateway::auth::Authority> authority_;
  std::unique_ptr<gateway::Gateway> gateway_;
};

}  // namespace toolway::test
