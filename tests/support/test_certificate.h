#pragma once

#include <memory>
#include <string>

struct ssl_ctx_st;

namespace toolway::test {

/// A key and a self-signed certificate, made for a test.
struct TestCertificate {
  std::shared_ptr<ssl_ctx_st> context;  ///< of a TLS server that shows it
  std::string pem;                      ///< to trust it
};

enum class Validity { kNow, kExpired };

/// `name`: `DNS:localhost` or `IP:127.0.0.1`, as in a certificate's subjectAltName.
TestCertificate make_certificate(const std::string& name, Validity validity = Validity::kNow);

}  // namespace toolway::test
