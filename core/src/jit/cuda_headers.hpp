// Where CUDA's headers lie on this machine.
#pragma once

#include <filesystem>

namespace msda {

/// The folder that holds cuda_fp16.h. Throws EnvironmentError that lists every place looked at.
std::filesystem::path find_cuda_headers();

}  // namespace msda
