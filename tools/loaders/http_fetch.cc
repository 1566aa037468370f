#include "tools/loaders/http_fetch.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <cctype>
#include <string_view>

#include "tools/http/http_easy.h"

namespace toolway::tools {
namespace {

/// What curl's callbacks work on.
struct Transfer {
  Fetched fetched;
  std::size_t max_bytes;
  std::stop_token stop;
  bool too_large = false;
};

std::size_t take_body(char* data, std::size_t, std::size_t size, void* to) {
  auto& transfer = *static_cast<Transfer*>(to);
  if (transfer.fetched.body.size() + size > transfer.max_bytes) {
    transfer.too_large = true;
    return CURL_WRITEFUNC_ERROR;
  }
  transfer.fetched.body.append(data, size);
  return size;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0)
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
    text.remove_suffix(1);
  return text;
}

std::size_t take_header(char* data, std::size_t, std::size_t size, void* to) {
  auto& transfer = *static_cast<Transfer*>(to);
  const std::string_view line(data, size);
  constexpr std::string_view kName = "etag:";
  // A redirect's headers come before those of the answer.
  if (line.starts_with("HTTP/")) transfer.fetched.etag.clear();
  if (size > kName.size() && curl_strnequal(data, kName.data(), kName.size()) != 0) {
    transfer.fetched.etag = trimmed(line.substr(kName.size()));
  }
  return size;
}

int look_up_stop(void* from, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const Transfer*>(from)->stop.stop_requested() ? 1 : 0;
}

struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

Error error_of(CURLcode code, const Transfer& transfer) {
  if (transfer.stop.stop_requested()) return {ErrorCode::kShuttingDown, "stopped"};
  if (transfer.too_large || code == CURLE_FILESIZE_EXCEEDED) {
    return {ErrorCode::kPayloadTooLarge,
            fmt::format("the answer has more than {} bytes", transfer.max_bytes)};
  }
  // curl's own words for the code; its longer message may quote the URL.
  const std::string what = curl_easy_strerror(code);
  if (code == CURLE_OPERATION_TIMEDOUT) return {ErrorCode::kTimeout, "no answer in time"};
  if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL)
    return {ErrorCode::kInvalidRequest, what};
  return {ErrorCode::kNotFound, what};
}

}  // namespace

struct HttpFetcher::Handle {
  Handle() {
    set_up_curl();
    curl = curl_easy_init();
  }
  ~Handle() {
    if (curl != nullptr) curl_easy_cleanup(curl);
  }
  CURL* curl = nullptr;
};

HttpFetcher::HttpFetcher() : handle_(std::make_unique<Handle>()) {}
HttpFetcher::~HttpFetcher() = default;

Result<Fetched> HttpFetcher::get(const FetchRequest& request, std::stop_token stop) {
  CURL* curl = handle_->curl;
  if (curl == nullptr) return fail(ErrorCode::kInternal, "libcurl cannot be used");
  Transfer transfer{.fetched = {}, .max_bytes = request.max_bytes, .stop = std::move(stop)};
  curl_easy_reset(curl);  // keeps the connection
  // No redirect leads from https to plain http.
  const char* redirects = request.url.starts_with("https://") ? "https" : "http,https";
  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, redirects);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 5L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(request.connect_timeout.count()));
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
  curl_easy_setopt(curl, CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(request.max_bytes));
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "toolway/" TOOLWAY_VERSION);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, look_up_stop);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &transfer);
  if (!request.bearer.empty()) {
    // As an option, not as a header: curl then keeps it from other hosts.
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    curl_easy_setopt(curl, CURLOPT_XOAUTH2_BEARER, request.bearer.c_str());
  }
  std::unique_ptr<curl_slist, FreeList> headers(curl_slist_append(
      nullptr, "Accept: application/yaml, application/json, text/yaml, */*;q=0.5"));
  if (!request.etag.empty()) {
    headers.reset(curl_slist_append(headers.release(), ("If-None-Match: " + request.etag).c_str()));
  }
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  const CURLcode code = curl_easy_perform(curl);
  if (code != CURLE_OK) return fail(error_of(code, transfer));
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &transfer.fetched.status);
  curl_off_t retry_after = 0;
  if (curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &retry_after) == CURLE_OK && retry_after > 0) {
    transfer.fetched.retry_after = std::chrono::seconds(retry_after);
  }
  return std::move(transfer.fetched);
}

}  // namespace toolway::tools
