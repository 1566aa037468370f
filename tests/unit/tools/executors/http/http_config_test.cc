#include "tools/executors/http/http_config.h"

#include <gtest/gtest.h>

namespace toolway::tools::executors::http {
namespace {

const char* const kSchema =
    R"({"type": "object", "required": ["text", "list", "thing"], "properties": {
  "text": {"type": "string"}, "list": {"type": "array"}, "thing": {"type": "object"},
  "depth": {"type": "integer"}, "unit": {"type": "string", "default": "metre"}}})";

std::string mistakes(const std::string& config) {
  std::string all;
  for (const auto& mistake :
       check_http_config(*parse_ordered_json(config), *parse_ordered_json(kSchema))) {
    all += mistake.place.substr(std::string("/implementation_config").size()) + ": " +
           mistake.message + "\n";
  }
  return all;
}
/// Of a config that is right except for `more`.
std::string with(const std::string& more) {
  return mistakes(R"({"url": "https://api.example.com/x", "method": "POST", )" + more + "}");
}

TEST(HttpConfig, TakesWhatItShould) {
  EXPECT_EQ(mistakes(R"({"url": "https://api.example.com"})"), "");
  EXPECT_EQ(
      mistakes(
          R"({"method": "POST", "url": "https://api.example.com/{text}/{unit}?x={text}", "query": {"q": "{text}", "l": "{list*}", "d": "{depth?}",
    "t": "{thing:json}", "n": 5, "b": true}, "headers": {"X-D": "{depth?}", "X-K": "a {secret:KEY}"},
    "body": {"json": {"a": "{thing}", "b": ["{list*}", "{depth?}"], "c": "<{text}>", "d": null}}, "auth": {"bearer": "KEY"},
    "response": {"as": "json", "pick": "/a/b", "result": {"x": "{/y}"}, "success": [200, "3xx"], "errors": {"404": {"code": "none", "message": "m", "retryable": true}, "5xx": {}}},
    "limits": {"connect_ms": 1, "first_byte_ms": 2, "idle_ms": 3, "max_body_bytes": 4, "max_header_bytes": 256}, "redirects": {"most": 0, "allow_downgrade": true},
    "retries": {"attempts": 5, "on": ["connect", 429, "503"], "methods": "any", "initial_delay_ms": 1, "max_delay_ms": 2},
    "allow_addresses": ["10.0.0.0/8", "::1", "db.internal", "*.internal"], "proxy": "http://proxy.example:3128", "idempotency_key": "X-Idem"})"),
      "");
  EXPECT_EQ(mistakes(R"({"url": "{text}", "allowed_hosts": ["*"]})"), "");
  EXPECT_EQ(
      mistakes(
          R"({"url": "https://{text}.example.com/", "allowed_hosts": ["*.example.com"], "proxy": "none", "idempotency_key": false})"),
      "");
}

TEST(HttpConfig, SaysAllThatIsWrongAndWhere) {
  EXPECT_EQ(mistakes("[]"), ": an HTTP tool needs `implementation_config: {url: …}`\n");
  EXPECT_EQ(mistakes("{}"),
            "/url: an HTTP tool needs a `url`, such as https://api.example.com/users/{id}\n");
  EXPECT_EQ(mistakes(R"({"url": "ftp://a/"})"),
            "/url: the URL does not begin with http:// or https://\n");
  EXPECT_EQ(mistakes(R"({"url": "https://u:p@a.example/"})"),
            "/url: a URL with a user name or password is refused\n");
  EXPECT_EQ(
      mistakes(R"({"url": "https://{text}.example.com/"})"),
      "/url: the caller would choose the host: list the permitted hosts in `allowed_hosts`\n");
  EXPECT_EQ(
      mistakes(R"({"url": "{text}"})"),
      "/url: the caller would choose the host: list the permitted hosts in `allowed_hosts`\n");
  EXPECT_EQ(mistakes(R"({"url": "{text}://a.example/", "allowed_hosts": ["*"]})"),
            "/url: must begin with http:// or https://, or be one placeholder for a whole URL\n");
  EXPECT_EQ(mistakes(R"({"url": "https://a.example/", "allowed_hosts": ["b.example"]})"),
            "/url: its host is not one of `allowed_hosts`\n");
  EXPECT_EQ(mistakes(R"({"url": "https://a.example/{depth?}/{list}/{secret:KEY}/{nothing}"})"),
            "/url: `{depth}` is required here: write it without `?` and `*`\n"
            "/url: `list` is an array: write `{list:json}` for its JSON text\n"
            "/url: `{nothing}` is not a property of input_schema; write `{{` for a brace\n"
            "/url: secrets go into headers, query or body\n");
  EXPECT_EQ(with(R"("method": "CONNECT")"),
            "/method: \"CONNECT\" is not one of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS\n");
  EXPECT_EQ(
      with(
          R"("headers": {"a b": "x", "Host": "x", "content-length": 1, "X": "a\nb", "Y": "{list*}z", "Z": "{x"})"),
      "/headers/a b: is not a header name\n"
      "/headers/Host: is set by the connection, not by a tool\n"
      "/headers/content-length: is set by the connection, not by a tool\n"
      "/headers/X: has a control character\n"
      "/headers/Y: `{list*}` stands for several values: it must be the whole value\n"
      "/headers/Z: `{` at 0 is not closed; write `{{` for a brace\n");
  EXPECT_EQ(
      with(
          R"("query": {"a": "{depth}", "b": "{thing}", "c": "{list}", "d": [], "e": "{text*}", "f": "{text:option}"})"),
      "/query/a: `depth` is not required and has no default: write `{depth?}` to leave this out when it is not given\n"
      "/query/b: `thing` is an object: write `{thing:json}` for its JSON text\n"
      "/query/c: `list` is an array: write `{list:json}` for its JSON text, or `{list*}` for each item\n"
      "/query/d: must be text, a number, true or false\n"
      "/query/e: `{text*}` needs an array; the schema says \"string\"\n"
      "/query/f: `{text}`: the forms option and words are for commands only\n");
  EXPECT_EQ(with(R"("body": {"json": {"a": ["{nothing}"]}, "text": "x"})"),
            "/body: must have one of json, form, text, raw\n");
  EXPECT_EQ(
      with(R"("body": {"json": {"a": ["{nothing}", "{x"]}})"),
      "/body/json/a/1: `{` at 0 is not closed; write `{{` for a brace\n/body/json/a/0: `{nothing}` is not a property of input_schema; write `{{` for a brace\n");
  EXPECT_EQ(with(R"("body": {"raw": "x{text}"})"),
            "/body/raw: must be one placeholder, such as \"{content}\"\n");
  EXPECT_EQ(mistakes(R"({"url": "https://a.example/", "body": {"text": "x"}})"),
            "/body: a GET request has no body; set `method`\n");
  EXPECT_EQ(with(R"("auth": {"bearer": "a b", "basic": {}})"),
            "/auth: must have one of bearer, basic, api_key\n");
  EXPECT_EQ(with(R"("auth": {"bearer": "a b"})"),
            "/auth/bearer: must be the name of a secret: 1 to 64 of A-Z a-z 0-9 _\n");
  EXPECT_EQ(
      with(R"("auth": {"api_key": {"secret": "KEY"}})"),
      "/auth/api_key/header: must have one of header, query: the name under which the key is sent\n");
  EXPECT_EQ(
      with(
          R"("response": {"as": "xml", "pick": "a", "result": {"x": "{y}"}, "success": [99, "2xx"], "errors": {"600": {}, "404": {"cod": 1}}})"),
      "/response/as: \"xml\" is not one of json, text, binary, sse, ndjson\n"
      "/response/pick: must be a JSON Pointer, such as /data/items\n"
      "/response/result/x: `{y}` is not a `{/json/pointer}`; write `{{` for a brace\n"
      "/response/success/0: must be a status from 200 to 599, or a class such as \"2xx\"\n"
      "/response/errors/600: must be a status from 200 to 599, or a class such as \"2xx\"\n"
      "/response/errors/404/cod: unknown field `cod`; did you mean `code`?\n");
  EXPECT_EQ(
      with(R"("response": {"as": "text", "pick": "/a", "until": "x"})"),
      "/response/as: `data` and `until` are for sse only\n/response/pick: needs an answer in JSON\n");
  EXPECT_EQ(
      with(
          R"("limits": {"connect_ms": 0, "max_body_bytes": -1, "total_ms": 5}, "redirects": {"most": 21}, "retries": {"attempts": 0, "on": ["404"], "methods": "all"})"),
      "/retries/attempts: `attempts` must be a whole number from 1 to 10\n"
      "/retries/methods: \"all\" is not one of idempotent, any, none\n"
      "/retries/on: \"404\" is not one of connect, first_byte, 429, 500, 502, 503, 504\n"
      "/limits/connect_ms: `connect_ms` must be whole milliseconds from 1 to 86400000\n"
      "/limits/max_body_bytes: `max_body_bytes` must be whole bytes from 1 to 268435456\n"
      "/limits/total_ms: unknown field `total_ms`; a list of limits can have connect_ms, first_byte_ms, idle_ms, max_body_bytes, max_header_bytes\n"
      "/redirects/most: `most` must be a whole number from 0 to 20\n");
  EXPECT_EQ(
      with(
          R"("allow_addresses": ["10.0.0.0/8", "10.0.0.1/8"], "proxy": "socks5://a:1", "idempotency_key": 5)"),
      "/allow_addresses/1: `10.0.0.1/8` is not an address, a block such as 10.0.0.0/8 or a host name\n"
      "/proxy: a proxy must be http://, https:// or socks5h://, with host and port; or `none`\n"
      "/idempotency_key: must be true, or the name of a header\n");
  EXPECT_EQ(
      with(R"("verify": false)"),
      "/verify: unknown field `verify`; an HTTP tool can have method, allowed_hosts, url, query, headers, body, auth, response, retries, limits, redirects, "
      "allow_addresses, proxy, idempotency_key\n");
}

}  // namespace
}  // namespace toolway::tools::executors::http
