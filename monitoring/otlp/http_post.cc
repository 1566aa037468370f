#include "monitoring/otlp/http_post.h"

#include <curl/curl.h>

#include <algorithm>
#include <mutex>

namespace toolway::monitoring {
namespace {

constexpr std::size_t kMaxBody = 64 * 1024;
/// How late a cutoff may be noticed.
constexpr int kLookMs = 50;

/// libcurl wants to be set up once, before the first handle.
void set_up_curl() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

std::size_t take_body(char* data, std::size_t, std::size_t size, void* to) {
  auto& body = *static_cast<std::string*>(to);
  body.append(
      data,
      std::min(size,
               kMaxBody - body.size()));  // the rest is read and discarded: the status is enough
  return size;
}

/// Runs the one transfer to its end, and watches for the cutoff.
CURLcode run(CURLM* multi, const Cutoff& cutoff) {
  for (;;) {
    int running = 0;
    if (curl_multi_perform(multi, &running) != CURLM_OK) return CURLE_FAILED_INIT;
    int left = 0;
    if (const CURLMsg* ended = curl_multi_info_read(multi, &left); ended != nullptr)
      return ended->data.result;
    if (cutoff.passed()) return CURLE_OPERATION_TIMEDOUT;
    if (curl_multi_poll(multi, nullptr, 0, kLookMs, nullptr) != CURLM_OK) return CURLE_FAILED_INIT;
  }
}

}  // namespace

struct HttpPost::Handles {
  struct FreeEasy {
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
  };
  struct FreeMulti {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
  };
  struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };
  std::string endpoint;
  std::unique_ptr<CURLM, FreeMulti> multi;
  std::unique_ptr<CURL, FreeEasy> easy;
  std::unique_ptr<curl_slist, FreeList> headers;
};

HttpPost::HttpPost(const OtlpOptions& options) : handles_(std::make_unique<Handles>()) {
  set_up_curl();
  handles_->endpoint = options.endpoint;
  handles_->multi.reset(curl_multi_init());
  handles_->easy.reset(curl_easy_init());
  const auto add = [this](const std::string& line) {
    handles_->headers.reset(curl_slist_append(handles_->headers.release(), line.c_str()));
  };
  add("Content-Type: application/json");
  add("Expect:");  // or libcurl waits a second for a 100 that old receivers do not send
  for (const auto& [name, value] : options.headers) add(name + ": " + value);
  CURL* easy = handles_->easy.get();
  if (easy == nullptr) return;
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_PROXY, "");  // set, or libcurl would look into the environment
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT,
                   1L);  // or a slow look-up of the name delays the end of the process
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(options.request_timeout.count()));
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
  if (!options.ca_file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, options.ca_file.c_str());
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "OTel-OTLP-Exporter-Toolway/" TOOLWAY_VERSION);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, handles_->headers.get());
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
}

HttpPost::~HttpPost() = default;

Result<OtlpAnswer> HttpPost::post(const std::string& path, const std::string& body,
                                  const Cutoff& cutoff) {
  CURL* easy = handles_->easy.get();
  CURLM* multi = handles_->multi.get();
  if (easy == nullptr || multi == nullptr)
    return fail(ErrorCode::kInternal, "libcurl could not be initialised");
  OtlpAnswer answer;
  const std::string url = handles_->endpoint + path;
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body.data());
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &answer.body);
  if (curl_multi_add_handle(multi, easy) != CURLM_OK)
    return fail(ErrorCode::kInternal, "libcurl did not accept the request");
  const CURLcode code = run(multi, cutoff);
  curl_multi_remove_handle(multi, easy);
  // Not libcurl's longer message: that one may quote what was sent.
  if (code != CURLE_OK) return fail(ErrorCode::kBusUnavailable, curl_easy_strerror(code));
  long status = 0;
  curl_off_t retry_after = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &retry_after);
  answer.status = static_cast<unsigned>(status);
  if (retry_after > 0) answer.retry_after = std::chrono::seconds(retry_after);
  return answer;
}

}  // namespace toolway::monitoring
