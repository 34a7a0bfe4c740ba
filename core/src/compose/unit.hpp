// A Unit is a translation unit for the run-time compiler: generated text, the headers it may
// include, and the names that the host wants back.
#pragma once

#include <string>
#include <vector>

namespace msda {

struct UnitHeader {
  std::string path;  ///< relative to the include root, "msda/launch.cuh"
  std::string text;
};

struct Unit {
  std::string label;  ///< for messages and file names, "vector-loads{...}"
  std::string text;   ///< of unit.cu
  std::vector<UnitHeader> headers;
  std::vector<std::string> kernels;  ///< name expressions of __global__ functions
  std::string plan;                  ///< name of the LaunchPlan variable; empty when there is none
  bool lines = true;                 ///< the code knows its lines in the source, for profilers
};

}  // namespace msda
