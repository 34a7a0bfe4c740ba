// Each device header compiles alone, so that a plugin includes what it uses and nothing else.
#include <cctype>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "compose/unit_writer.hpp"
#include "files/temporary_directory.hpp"
#include "jit/compiler.hpp"

namespace msda {
namespace {

/// Those that NVRTC compiles: the bodies for the host are the device simt's.
std::vector<std::string> headers() {
  std::vector<std::string> paths;
  for (const UnitHeader& header : device_headers()) {
    if (header.path.find("simt/host/") == std::string::npos) paths.push_back(header.path);
  }
  return paths;
}

class DeviceHeader : public ::testing::TestWithParam<std::string> {};

TEST_P(DeviceHeader, CompilesAlone) {
  const TemporaryDirectory cache;
  const std::string include = "#include <" + GetParam() + ">\n";
  const Unit unit{GetParam(), include + include, device_headers(), {}, ""};
  EXPECT_NO_THROW(Compiler(cache.path()).compile(unit, "sm_90a"));
}

INSTANTIATE_TEST_SUITE_P(Each, DeviceHeader, ::testing::ValuesIn(headers()),
                         [](const ::testing::TestParamInfo<std::string>& info) {
                           std::string name = info.param;
                           for (char& c : name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace msda
