#include "jit/cuda_headers.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include <msda/error.hpp>

#include "jit/nvrtc.hpp"

namespace msda {

std::filesystem::path find_cuda_headers() {
  namespace fs = std::filesystem;
  std::vector<fs::path> candidates;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* root = std::getenv(variable)) candidates.push_back(fs::path(root) / "include");
  }
  Dl_info library{};
  if (dladdr(nvrtc_function("nvrtcVersion"), &library) != 0) {
    std::error_code ignored;
    const fs::path folder = fs::canonical(library.dli_fname, ignored).parent_path();
    candidates.push_back(folder.parent_path() / "include");
    candidates.push_back(folder.parent_path().parent_path() / "include");
  }
  candidates.emplace_back("/usr/local/cuda/include");
  std::string looked_at;
  for (const fs::path& candidate : candidates) {
    std::error_code ignored;
    if (fs::exists(candidate / "cuda_fp16.h", ignored)) return candidate;
    looked_at += fmt::format("\n  {}", candidate.string());
  }
  throw EnvironmentError(
      "CUDA's headers (cuda_fp16.h) were not found; set CUDA_HOME to the toolkit. "
      "Looked in:" +
      looked_at);
}

}  // namespace msda
