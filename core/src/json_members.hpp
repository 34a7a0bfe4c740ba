// Fields of JSON that are called as the members of the struct that they are: a list of members is
// the declaration.
//
//   template <>
//   struct JsonFields<Shard> : JsonMembers<&Shard::index, &Shard::count> {};
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

#include "json_fields.hpp"

namespace msda {
namespace json_detail {

/// "index" of &Shard::index, which compilers tell as "[with auto kMember = &msda::Shard::index;
/// ..."
template <auto kMember>
constexpr std::string_view member_text() {
  constexpr std::string_view kMark = "kMember = ";
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(text.find(kMark) + kMark.size());
  text = text.substr(0, text.find_first_of(";]"));
  return text.substr(text.rfind(':') + 1);
}

/// The same with the zero at its end.
template <auto kMember>
inline constexpr auto kMemberName = [] {
  constexpr std::string_view kText = member_text<kMember>();
  std::array<char, kText.size() + 1> name{};
  std::copy(kText.begin(), kText.end(), name.begin());
  return name;
}();

}  // namespace json_detail

template <auto... kMembers>
struct JsonMembers {
  static auto list() {
    return std::tuple(json_field(json_detail::kMemberName<kMembers>.data(), kMembers)...);
  }
};

/// Each left out where it is empty.
template <auto... kMembers>
struct JsonMembersUnlessEmpty {
  static auto list() {
    return std::tuple(
        json_field(json_detail::kMemberName<kMembers>.data(), kMembers).unless_empty()...);
  }
};

/// One list after the other.
template <class... Lists>
struct JoinedFields {
  static auto list() { return std::tuple_cat(Lists::list()...); }
};

}  // namespace msda
