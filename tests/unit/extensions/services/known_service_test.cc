#include "extensions/services/known_service.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/temp_dir.h"

namespace toolway::extensions::services {
namespace {

constexpr const char* kSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

TEST(KnownService, IsReadWithItsSecretsAndAddresses) {
  const auto read = read_known_services(R"(
services:
  - url: https://Policy.example.com
    secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
  - url: http://127.0.0.1:8181
    secret: [whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw, whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA]
    allow_addresses: [127.0.0.1]
    ca_file: /etc/ca.pem
)",
                                        "file");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ(read->at(0).origin, "https://policy.example.com");
  EXPECT_EQ(read->at(0).keys.size(), 1U);
  EXPECT_EQ(read->at(1).origin, "http://127.0.0.1:8181");
  EXPECT_EQ(read->at(1).keys.size(), 2U);
  EXPECT_EQ(read->at(1).ca_file, "/etc/ca.pem");
}

TEST(KnownService, SaysWhatIsWrongAndWhereButNoSecret) {
  const std::string secret = std::string(", secret: ") + kSecret;
  const std::vector<std::pair<std::string, const char*>> all{
      {"[]", "file:1: the file must be a mapping"},
      {"services: []", "1 to 100 entries"},
      {"services:\n  - 5", "file:2: a service must be a mapping"},
      {"services:\n  - {secret: x}", "a service has no `url`"},
      {"services:\n  - {url: 'ftp://a.example'" + secret + "}", "file:2: `url`: "},
      {"services:\n  - {url: 'https://a.example/decide'" + secret + "}", "rules name the path"},
      {"services:\n  - {url: 'http://a.example'" + secret + "}", "say `allow_http: true`"},
      {"services:\n  - {url: 'http://127.0.0.1:1'" + secret + "}", "name it in `allow_addresses`"},
      {"services:\n  - {url: 'https://a.example'}", "a service has a `secret`"},
      {"services:\n  - {url: 'https://a.example', secret: hunter2}", "the secret must be whsec_"},
      {"services:\n  - {url: 'https://a.example'" + secret + ", allow_addresses: [10.0.0.0/99]}",
       "file:2: "},
      {"services:\n  - {url: 'https://a.example'" + secret + ", kys: 1}", "unknown field `kys`"},
      {"services:\n  - {url: 'https://a.example'" + secret +
           "}\n  - {url: 'https://a.example:443'" + secret + "}",
       "file:3: https://a.example is there twice"},
  };
  for (const auto& [text, message] : all) {
    const auto read = read_known_services(text, "file");
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().message.find(message), std::string::npos) << text << "\n"
                                                                     << read.error().message;
    for (const char* hidden : {"hunter2", "MfKQ9r8"})
      EXPECT_EQ(read.error().message.find(hidden), std::string::npos) << read.error().message;
  }
}

TEST(KnownService, AFileThatOthersMayReadIsRefused) {
  const toolway::test::TempDir directory;
  const auto path = (directory.path() / "services.yaml").string();
  std::ofstream(path) << "services: [{url: 'https://a.example', secret: " << kSecret << "}]\n";
  ASSERT_EQ(chmod(path.c_str(), 0644), 0);
  const auto open = read_known_services_file(path);
  ASSERT_FALSE(open);
  EXPECT_NE(open.error().message.find("chmod 600"), std::string::npos);
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  EXPECT_TRUE(read_known_services_file(path));
}

}  // namespace
}  // namespace toolway::extensions::services
