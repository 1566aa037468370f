#include "tests/support/test_certificate.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <stdexcept>

namespace toolway::test {
namespace {

template <typename T, void (*Free)(T*)>
using Owned = std::unique_ptr<T, std::integral_constant<void (*)(T*), Free>>;

void check(bool fine) {
  if (!fine) throw std::runtime_error("OpenSSL cannot make a certificate");
}

}  // namespace

TestCertificate make_certificate(const std::string& name, Validity validity) {
  const Owned<EVP_PKEY, EVP_PKEY_free> key(EVP_EC_gen("P-256"));
  const Owned<X509, X509_free> certificate(X509_new());
  check(key && certificate);
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), validity == Validity::kNow ? 3600 : -60);
  X509_set_pubkey(certificate.get(), key.get());
  auto* subject = X509_get_subject_name(certificate.get());
  const auto* common = reinterpret_cast<const unsigned char*>("toolway test");
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, common, -1, -1, 0);
  X509_set_issuer_name(certificate.get(), subject);
  for (const auto& [what, value] : {std::pair<int, std::string>{NID_subject_alt_name, name},
                                    {NID_basic_constraints, "critical,CA:TRUE"}}) {
    const Owned<X509_EXTENSION, X509_EXTENSION_free> extension(
        X509V3_EXT_conf_nid(nullptr, nullptr, what, value.c_str()));
    check(extension && X509_add_ext(certificate.get(), extension.get(), -1) == 1);
  }
  check(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);

  TestCertificate made;
  made.context.reset(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  check(SSL_CTX_use_certificate(made.context.get(), certificate.get()) == 1 &&
        SSL_CTX_use_PrivateKey(made.context.get(), key.get()) == 1);
  const std::unique_ptr<BIO, int (*)(BIO*)> text(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio_X509(text.get(), certificate.get());
  char* begin = nullptr;
  const auto size = BIO_get_mem_data(text.get(), &begin);
  made.pem.assign(begin, static_cast<std::size_t>(size));
  return made;
}

}  // namespace toolway::test
