#include "jit/compile_failure.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <boost/algorithm/string/replace.hpp>

namespace msda {
namespace {

/// Names of CUDA that device code does not use by itself, and what has a body on every device.
constexpr std::array<std::pair<std::string_view, std::string_view>, 19> kInstead = {
    {{"__syncthreads", "simt::syncthreads()"},
     {"__syncwarp", "simt::syncwarp()"},
     {"threadIdx", "simt::thread()"},
     {"printf", "simt::print()"},
     {"blockIdx", "simt::block()"},
     {"gridDim", "simt::blocks()"},
     {"blockDim", "the constant that the launch shape is made of"},
     {"__shfl_sync", "simt::shfl_sync()"},
     {"__shfl_xor_sync", "simt::shfl_xor_sync()"},
     {"__shfl_up_sync", "simt::shfl_up_sync()"},
     {"__reduce_min_sync", "simt::reduce_min_sync()"},
     {"__reduce_max_sync", "simt::reduce_max_sync()"},
     {"__reduce_or_sync", "simt::reduce_or_sync()"},
     {"__ffs", "simt::lowest_bit()"},
     {"atomicAdd", "simt::atomic_add()"},
     {"atomicMax", "simt::atomic_max()"},
     {"atomicCAS", "simt::atomic_cas()"},
     {"__threadfence", "simt::threadfence()"},
     {"__ldg", "ptx::ldg()"}}};

/// "my-order: device/order.cuh" of "my_order/order.cuh"; "" of a header of the framework.
std::string authors_name(const std::string& path) {
  const std::size_t slash = path.find('/');
  if (slash == std::string::npos || path.starts_with("msda/")) return "";
  std::string name = path.substr(0, slash);
  std::replace(name.begin(), name.end(), '_', '-');  // a plugin's name has no '_'
  return fmt::format("{}: device{}", name, path.substr(slash));
}

/// A compiler calls a name that it does not know so.
bool is_unknown(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  if (at == std::string_view::npos || line.find("not declared") == std::string_view::npos) {
    return false;
  }
  const char after = at + name.size() < line.size() ? line[at + name.size()] : ' ';
  return std::isalnum(static_cast<unsigned char>(after)) == 0 && after != '_';
}

std::string hints(const std::string& log) {
  std::string text;
  for (const auto& [name, instead] : kInstead) {
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
      if (!is_unknown(line, name)) continue;
      text += fmt::format("hint: device code calls {} in place of {}\n", instead, name);
      break;
    }
  }
  return text;
}

}  // namespace

std::string compile_failure(const Unit& unit, const std::string& target,
                            const std::filesystem::path& directory, std::string log) {
  boost::replace_all(log, directory.string() + "/", "");
  for (const UnitHeader& header : unit.headers) {
    const std::string name = authors_name(header.path);
    if (!name.empty()) boost::replace_all(log, header.path, name);
  }
  while (!log.empty() && log.back() == '\n') log.pop_back();
  return fmt::format("compiling {} for {} failed:\n{}\n{}sources as compiled: {}", unit.label,
                     target, log, hints(log), directory.string());
}

}  // namespace msda
