#include "base/net/http_client.h"

#include <algorithm>

#include "base/net/curl_handles.h"
#include "base/text.h"

namespace toolway::net {
namespace {

/// How late `stopped` may be noticed.
constexpr int kLookMs = 50;

/// What curl's callbacks work on.
struct Transfer {
  const HttpRequest& request;
  HttpAnswer answer{};
  bool too_large = false;
};

std::size_t take_body(char* data, std::size_t, std::size_t size, void* to) {
  auto& [request, answer, too_large] = *static_cast<Transfer*>(to);
  const std::size_t room = request.max_bytes - answer.body.size();
  if (size > room && request.beyond == HttpRequest::Beyond::kFail) {
    too_large = true;
    return CURL_WRITEFUNC_ERROR;
  }
  answer.body.append(data, std::min(size, room));
  return size;
}

std::size_t take_header(char* data, std::size_t, std::size_t size, void* to) {
  auto& answer = static_cast<Transfer*>(to)->answer;
  const std::string_view line(data, size);
  constexpr std::string_view kName = "etag:";
  // A redirect's headers come before those of the answer.
  if (line.starts_with("HTTP/")) answer.etag.clear();
  if (same_word(line.substr(0, kName.size()), kName))
    answer.etag = trimmed(line.substr(kName.size()), " \t\r\n");
  return size;
}

/// Makes `easy` send the request, which must outlive the transfer as `headers` must.
void prepare(CURL* easy, Transfer& transfer, CurlList& headers) {
  const auto& request = transfer.request;
  curl_easy_reset(easy);
  set_common_options(easy, request.ca_file);
  curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  if (request.redirects) {
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(easy, CURLOPT_MAXREDIRS, 5L);
    curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR,
                     request.url.starts_with("https://") ? "https" : "http,https");
  }
  // Unless it is set, libcurl looks into the environment.
  if (!request.proxy_of_environment) curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(request.connect_timeout.count()));
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
  if (request.beyond == HttpRequest::Beyond::kFail)
    curl_easy_setopt(easy, CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(request.max_bytes));
  if (request.unpack) curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(
      easy, CURLOPT_USERAGENT,
      request.user_agent.empty() ? "toolway/" TOOLWAY_VERSION : request.user_agent.c_str());
  if (!request.bearer.empty()) {
    // As an option, not as a header: curl then keeps it from other hosts.
    curl_easy_setopt(easy, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    curl_easy_setopt(easy, CURLOPT_XOAUTH2_BEARER, request.bearer.c_str());
  }
  if (request.body) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body->size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body->empty() ? "" : request.body->data());
    // Or libcurl waits a second for a 100 that old receivers do not send.
    append(headers, "Expect:");
  }
  for (const auto& line : request.headers) append(headers, line);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
}

/// Runs the one transfer to its end, or until `stopped`.
CURLcode run(CURLM* multi, const std::function<bool()>& stopped) {
  for (;;) {
    int running = 0;
    if (curl_multi_perform(multi, &running) != CURLM_OK) return CURLE_FAILED_INIT;
    int left = 0;
    if (const CURLMsg* ended = curl_multi_info_read(multi, &left); ended != nullptr)
      return ended->data.result;
    if (stopped()) return CURLE_OPERATION_TIMEDOUT;
    if (curl_multi_poll(multi, nullptr, 0, kLookMs, nullptr) != CURLM_OK) return CURLE_FAILED_INIT;
  }
}

ErrorCode kind_of(CURLcode code) {
  switch (code) {
    case CURLE_FILESIZE_EXCEEDED: return ErrorCode::kPayloadTooLarge;
    case CURLE_OPERATION_TIMEDOUT: return ErrorCode::kTimeout;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL: return ErrorCode::kInvalidRequest;
    default: return ErrorCode::kNotFound;
  }
}

}  // namespace

struct HttpClient::Handles {
  MultiHandle multi{curl_multi_init()};  // keeps the connections
  EasyHandle easy{curl_easy_init()};
};

HttpClient::HttpClient() : handles_((set_up_curl(), std::make_unique<Handles>())) {}
HttpClient::~HttpClient() = default;

Result<HttpAnswer> HttpClient::send(const HttpRequest& request,
                                    const std::function<bool()>& stopped) {
  CURL* easy = handles_->easy.get();
  CURLM* multi = handles_->multi.get();
  if (easy == nullptr || multi == nullptr)
    return fail(ErrorCode::kInternal, "libcurl cannot be used");
  Transfer transfer{.request = request};
  CurlList headers;
  prepare(easy, transfer, headers);
  if (curl_multi_add_handle(multi, easy) != CURLM_OK)
    return fail(ErrorCode::kInternal, "libcurl did not accept the request");
  CURLcode code = run(multi, stopped);
  curl_multi_remove_handle(multi, easy);
  if (transfer.too_large) code = CURLE_FILESIZE_EXCEEDED;
  // Not libcurl's longer message: that one may quote the URL, or what was sent.
  if (code != CURLE_OK)
    return fail(stopped() ? ErrorCode::kShuttingDown : kind_of(code), curl_easy_strerror(code));
  long status = 0;
  curl_off_t retry_after = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &retry_after);
  transfer.answer.status = static_cast<unsigned>(status);
  if (retry_after > 0) transfer.answer.retry_after = std::chrono::seconds(retry_after);
  return std::move(transfer.answer);
}

}  // namespace toolway::net
