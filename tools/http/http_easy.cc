#include "tools/http/http_easy.h"

#include <fmt/format.h>
#include <openssl/x509_vfy.h>
#include <sys/socket.h>

namespace toolway::tools::http {
namespace {

using Why = HttpEnd::Why;

std::size_t take_header(char* data, std::size_t, std::size_t size, void* to) {
  auto& transfer = *static_cast<HttpTransfer*>(to);
  transfer.touch();
  return transfer.take_header({data, size}) ? size : 0;
}

std::size_t take_body(char* data, std::size_t, std::size_t size, void* to) {
  auto& transfer = *static_cast<HttpTransfer*>(to);
  transfer.touch();
  return transfer.take_body({data, size}) ? size : CURL_WRITEFUNC_ERROR;
}

/// Every new connection, after the name was resolved.
curl_socket_t open_socket(void* of, curlsocktype, curl_sockaddr* to) {
  const auto address = IpAddress::of(&to->addr);
  if (!address || !static_cast<HttpTransfer*>(of)->may_connect(*address)) return CURL_SOCKET_BAD;
  return ::socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

/// Every request, over a new or a kept connection. Others may have opened that one, under another
/// policy.
int before_request(void* of, char* address, char*, int, int) {
  const bool may = static_cast<HttpTransfer*>(of)->may_send(IpAddress::parse(address));
  return may ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

net::CurlList headers_of(const HttpHop& hop) {
  net::CurlList list;
  for (const auto& header : hop.headers)
    net::append(list, header.name + (header.value.empty() ? ";" : ": " + header.value));
  // libcurl adds some by itself, unless they are given, or taken out like this.
  // libcurl has a type of its own for POST, with or without a body.
  if ((hop.body || hop.method == "POST") && find_header(hop.headers, "content-type") == nullptr)
    net::append(list, "Content-Type:");
  net::append(list, "Expect:");
  return list;
}

void set_method(CURL* easy, const HttpHop& hop) {
  if (hop.method == "HEAD" && !hop.body) {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    return;
  }
  if (hop.body || hop.method == "POST") {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(hop.body ? hop.body->size() : 0));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, hop.body ? hop.body->data() : "");
  } else {
    curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
  }
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, hop.method.c_str());
}

std::string bracketed(const IpAddress& address) {
  return address.family == IpAddress::Family::kV6 ? "[" + address.text() + "]" : address.text();
}

/// OpenSSL's verdict in our words. libcurl itself compares the host.
HttpEnd::Certificate certificate_of(CURLcode code, CURL* easy) {
  if (code != CURLE_PEER_FAILED_VERIFICATION) return HttpEnd::Certificate::kNotSaid;
  long verdict = 0;
  curl_easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &verdict);
  switch (verdict) {
    case X509_V_OK:
    case X509_V_ERR_UNSPECIFIED:  // what libcurl sets before it has a verdict
    case X509_V_ERR_HOSTNAME_MISMATCH: return HttpEnd::Certificate::kOtherHost;
    case X509_V_ERR_CERT_HAS_EXPIRED: return HttpEnd::Certificate::kExpired;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE: return HttpEnd::Certificate::kUntrusted;
    default: return HttpEnd::Certificate::kNotSaid;
  }
}

/// A proxy's answer to CONNECT when it was a refusal; else 0.
unsigned proxy_refusal(CURL* easy) {
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &status);
  return status >= 300 ? static_cast<unsigned>(status) : 0;
}

/// What OpenSSL said of a certificate, for a message; empty: nothing.
std::string verification(CURL* easy) {
  long verified = 0;
  curl_easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &verified);
  return verified == 0 ? "" : fmt::format(" (verification: {})", verified);
}

}  // namespace

EasyLists prepare(CURL* easy, HttpTransfer& transfer) {
  const auto& made = transfer.made();
  EasyLists lists;
  net::set_common_options(easy, made.ca_file);
  curl_easy_setopt(easy, CURLOPT_URL, made.hop.url.text().c_str());
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  // One connection carries one answer: a slow receiver holds up no other.
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, 16384L);
  // Of each transfer, for as long as it waits.
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 8192L);
  set_method(easy, made.hop);
  lists.headers = headers_of(made.hop);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, lists.headers.get());
  curl_easy_setopt(easy, CURLOPT_HEADEROPT, CURLHEADER_SEPARATE);
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (find_header(made.hop.headers, "user-agent") == nullptr) {
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "toolway/" TOOLWAY_VERSION);
  }
  if (find_header(made.hop.headers, "accept-encoding") == nullptr)
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
  // Set, or libcurl would look into the environment.
  curl_easy_setopt(easy, CURLOPT_PROXY, made.proxy.c_str());
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
  if (made.resolved) {
    net::append(lists.resolved, fmt::format("{}:{}:{}", made.hop.url.host, made.hop.url.port,
                                            bracketed(*made.resolved)));
    curl_easy_setopt(easy, CURLOPT_RESOLVE, lists.resolved.get());
  }
  if (made.limits.connect.count() > 0) {
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                     static_cast<long>(made.limits.connect.count()));
  }
  curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, 60L);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, before_request);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, &transfer);
  return lists;
}

namespace {

/// Why there was no connection; nothing when `code` does not say that.
std::optional<HttpEnd> end_of_connecting(CURLcode code, CURL* easy, const HttpTransfer& transfer) {
  const auto& made = transfer.made();
  const std::string host = made.hop.url.origin();
  const std::string via = made.proxy.empty() ? "" : " (through a proxy)";
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return HttpEnd{.why = Why::kNotResolved,
                     .message = fmt::format("no address found for {}", made.hop.url.host)};
    case CURLE_COULDNT_RESOLVE_PROXY:
      return HttpEnd{.why = Why::kNotResolved, .message = "no address found for the proxy"};
    case CURLE_PROXY:
      return HttpEnd{.why = Why::kNotConnected,
                     .message = fmt::format("the proxy did not connect to {}", host)};
    case CURLE_COULDNT_CONNECT:
      return HttpEnd{.why = Why::kNotConnected,
                     .message = fmt::format("no connection to {}{}", host, via)};
    case CURLE_OPERATION_TIMEDOUT:
      return HttpEnd{.why = Why::kTimedOut,
                     .message = fmt::format("no connection to {}{} within {} ms", host, via,
                                            made.limits.connect.count()),
                     .limit = HttpEnd::Limit::kConnect};
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ENGINE_SETFAILED:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
      return HttpEnd{.why = Why::kTlsFailed,
                     .message = fmt::format("TLS with {}{}: {}{}", host, via,
                                            curl_easy_strerror(code), verification(easy))};
    default: return std::nullopt;
  }
}

HttpEnd end_in_words(CURLcode code, CURL* easy, const HttpTransfer& transfer) {
  if (auto end = end_of_connecting(code, easy, transfer)) return *std::move(end);
  const auto& made = transfer.made();
  const std::string host = made.hop.url.origin();
  const std::string via = made.proxy.empty() ? "" : " (through a proxy)";
  const std::string what = curl_easy_strerror(code);
  const bool answered = transfer.reached() == HttpEnd::Reached::kHead;
  // Not in the headers of all versions that we build with: 8.6 says so of a header line over 100
  // KB, and older ones that they are out of memory.
  constexpr int kTooLarge = 100;
  if (!answered && (static_cast<int>(code) == kTooLarge || code == CURLE_OUT_OF_MEMORY)) {
    return {.why = Why::kTooLarge,
            .message = fmt::format("{} sent a header line that does not end", host)};
  }
  switch (code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      if (transfer.reached() != HttpEnd::Reached::kNothing)
        break;  // an answer of HTTP/0.9 is one as well
      return {.why = Why::kInvalidRequest, .message = "the URL cannot be used: " + what};
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_FAIL_REWIND:
      if (answered) break;
      // CONNECT: the proxy has answered, and with no.
      if (transfer.reached() == HttpEnd::Reached::kNothing && !made.proxy.empty()) {
        return {.why = Why::kNotConnected,
                .message = fmt::format("the proxy did not connect to {}", host)};
      }
      return {.why = Why::kConnectionLost,
              .message = fmt::format("{}{} closed the connection without an answer", host, via)};
    case CURLE_OUT_OF_MEMORY: return {.why = Why::kInternal, .message = what};
    default: break;
  }
  return {.why = Why::kBadResponse,
          .message = fmt::format("{}{} sent an answer that cannot be used: {}", host, via, what)};
}

}  // namespace

HttpEnd end_of(CURLcode code, CURL* easy, const HttpTransfer& transfer) {
  if (code == CURLE_OK) return {};
  if (transfer.fault()) return *transfer.fault();
  auto end = end_in_words(code, easy, transfer);
  end.certificate = certificate_of(code, easy);
  if (!transfer.made().proxy.empty()) end.proxy_status = proxy_refusal(easy);
  return end;
}

}  // namespace toolway::tools::http
