#include "tools/http/address_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace toolway::tools::http {
namespace {

struct Block {
  const char* network;
  std::string_view purpose;
};

/// IANA IPv4 Special-Purpose Address Registry (RFC 6890 and successors), less what is globally
/// reachable there, and multicast (RFC 5771).
constexpr Block kFour[] = {{"0.0.0.0/8", "unspecified"},
                           {"10.0.0.0/8", "private use"},
                           {"100.64.0.0/10", "carrier-grade NAT"},
                           {"127.0.0.0/8", "loopback"},
                           {"169.254.0.0/16", "link-local"},
                           {"172.16.0.0/12", "private use"},
                           {"192.0.0.0/24", "protocol assignment"},
                           {"192.0.2.0/24", "documentation"},
                           {"192.88.99.0/24", "6to4 relay"},
                           {"192.168.0.0/16", "private use"},
                           {"198.18.0.0/15", "benchmarking"},
                           {"198.51.100.0/24", "documentation"},
                           {"203.0.113.0/24", "documentation"},
                           {"224.0.0.0/4", "multicast"},
                           {"255.255.255.255/32", "broadcast"},
                           {"240.0.0.0/4", "reserved"}};

/// IANA IPv6 Special-Purpose Address Registry. Global unicast is 2000::/3 (RFC 4291 §2.4), and what
/// lies outside of it is refused as a whole; these are the words for the blocks that are known, and
/// the blocks inside.
constexpr Block kSix[] = {{"::/128", "unspecified"},
                          {"::1/128", "loopback"},
                          {"fe80::/10", "link-local"},
                          {"fec0::/10", "site-local"},
                          {"fc00::/7", "unique-local"},
                          {"ff00::/8", "multicast"},
                          {"64:ff9b:1::/48", "local NAT64"},
                          {"100::/64", "discard"},
                          {"2001::/32", "Teredo"},
                          {"2001::/23", "protocol assignment"},
                          {"2001:db8::/32", "documentation"},
                          {"3fff::/20", "documentation"},
                          {"5f00::/16", "segment routing"}};

constexpr const char* kGlobalUnicast = "2000::/3";

/// Where clouds give credentials to any caller that reaches them.
constexpr const char* kMetadata[] = {"169.254.169.254",  // AWS, Azure, Google, and most others
                                     "169.254.170.2",    // AWS ECS task credentials
                                     "169.254.170.23",   // AWS EKS pod identity
                                     "fd00:ec2::254",   "fd00:ec2::23",  // AWS over IPv6
                                     "fd20:ce::254",                     // Google over IPv6
                                     "100.100.100.200",                  // Alibaba
                                     "192.0.0.192",                      // Oracle, formerly
                                     "168.63.129.16"};  // Azure's host, a public address

struct Named {
  IpNetwork network;
  std::string_view purpose;
};

template <std::size_t N>
std::vector<Named> read(const Block (&blocks)[N]) {
  std::vector<Named> named;
  for (const auto& block : blocks)
    named.push_back({*IpNetwork::parse(block.network), block.purpose});
  return named;
}

bool metadata(const IpAddress& address) {
  static const auto addresses = [] {
    std::vector<IpAddress> read_once;
    for (const auto* text : kMetadata) read_once.push_back(*IpAddress::parse(text));
    return read_once;
  }();
  return std::find(addresses.begin(), addresses.end(), address) != addresses.end();
}

/// The IPv4 address that packets to an IPv6 address may end at.
std::optional<IpAddress> embedded(const IpAddress& address) {
  if (address.family == IpAddress::Family::kV4) return std::nullopt;
  const auto& bytes = address.bytes;
  static const auto within = [](const char* network) { return *IpNetwork::parse(network); };
  // RFC 4291 §2.5.5 (mapped, compatible), RFC 2765 (translated), RFC 6052 (NAT64).
  static const std::array last = {within("::ffff:0:0/96"), within("::/96"),
                                  within("::ffff:0:0:0/96"), within("64:ff9b::/96")};
  if (std::any_of(last.begin(), last.end(),
                  [&](const auto& network) { return network.contains(address); })) {
    return IpAddress::v4(&bytes[12]);
  }
  static const auto six_to_four = within("2002::/16");  // RFC 3056
  if (six_to_four.contains(address)) return IpAddress::v4(&bytes[2]);
  // ISATAP (RFC 5214 §6.1): an interface identifier of any prefix.
  if ((bytes[8] & 0xfd) == 0 && bytes[9] == 0 && bytes[10] == 0x5e && bytes[11] == 0xfe) {
    return IpAddress::v4(&bytes[12]);
  }
  return std::nullopt;
}

std::string_view find_in(const std::vector<Named>& blocks, const IpAddress& address) {
  const auto found = std::find_if(blocks.begin(), blocks.end(), [&](const auto& block) {
    return block.network.contains(address);
  });
  return found == blocks.end() ? std::string_view() : found->purpose;
}

/// Loopback and unspecified look like IPv4-compatible addresses but are not.
bool own_six(const IpAddress& address) {
  static const auto lowest = *IpNetwork::parse("::/127");
  return lowest.contains(address);
}

std::string plain_host(std::string_view text) {
  auto host = lowered(text);
  if (host.ends_with('.')) host.pop_back();
  return host;
}

/// `host` in lower case, without a last dot.
bool host_pattern(std::string_view host) {
  if (host.starts_with("*.")) host.remove_prefix(2);
  return !host.empty() && host.find_first_of("/:*[]@ \t") == std::string_view::npos &&
         host.substr(host.rfind('.') + 1).find_first_not_of("0123456789") != std::string_view::npos;
}

}  // namespace

std::string_view special_purpose(const IpAddress& address) {
  static const auto four = read(kFour);
  static const auto six = read(kSix);
  static const auto global = *IpNetwork::parse(kGlobalUnicast);
  static const auto nat64 = *IpNetwork::parse("64:ff9b::/96");
  if (address.family == IpAddress::Family::kV4) return find_in(four, address);
  if (!own_six(address)) {
    if (const auto inner = embedded(address)) {
      if (const auto purpose = find_in(four, *inner); !purpose.empty()) return purpose;
      static const auto mapped = *IpNetwork::parse("::ffff:0:0/96");
      if (mapped.contains(address) || nat64.contains(address)) return {};
    }
  }
  if (const auto purpose = find_in(six, address); !purpose.empty()) return purpose;
  return global.contains(address) ? std::string_view() : "reserved";
}

Result<AddressPolicy> AddressPolicy::create(const std::vector<std::string>& allowed) {
  AddressPolicy policy;
  for (const auto& entry : allowed) {
    std::string_view text = entry;
    if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
    if (auto network = IpNetwork::parse(text)) {
      policy.networks_.push_back(*network);
    } else if (host_pattern(plain_host(entry))) {
      policy.hosts_.push_back(plain_host(entry));
    } else {
      return fail(
          ErrorCode::kInvalidSpec,
          fmt::format("`{}` is not an address, a block such as 10.0.0.0/8 or a host name", entry));
    }
  }
  return policy;
}

bool AddressPolicy::allows(const IpAddress& address) const {
  return std::any_of(networks_.begin(), networks_.end(),
                     [&](const auto& network) { return network.contains(address); });
}

bool AddressPolicy::names(const IpAddress& address) const {
  return std::any_of(networks_.begin(), networks_.end(), [&](const auto& network) {
    return network.single() && network.contains(address);
  });
}

bool AddressPolicy::allows_host(std::string_view host) const {
  const auto asked = plain_host(host);
  return std::any_of(hosts_.begin(), hosts_.end(), [&](const auto& allowed) {
    return allowed.starts_with("*.") ? asked.ends_with(std::string_view(allowed).substr(1))
                                     : asked == allowed;
  });
}

std::optional<std::string> AddressPolicy::refusal(const IpAddress& address,
                                                  std::string_view host) const {
  const auto inner = own_six(address) ? std::nullopt : embedded(address);
  const bool secret = metadata(address) || (inner && metadata(*inner));
  if (secret) {
    if (names(address) || (inner && names(*inner))) return std::nullopt;
    return fmt::format("{} is a cloud's metadata service", address.text());
  }
  const auto purpose = special_purpose(address);
  if (purpose.empty() || allows(address) || (inner && allows(*inner)) || allows_host(host))
    return std::nullopt;
  return fmt::format("{} is not a public internet address ({})", address.text(), purpose);
}

std::optional<std::string> AddressPolicy::refusal(const HttpUrl& url) const {
  return url.address ? refusal(*url.address, url.host) : std::nullopt;
}

}  // namespace toolway::tools::http
