// Exact results, kept in files from run to run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace msda {

/// What compute() gives, `count` numbers, from cache_directory()/reference/<key>.f64 when it is
/// there and whole; computed and stored (temporary file, then rename) otherwise. A damaged entry is
/// computed again. One that would be very large is always computed, which is faster.
std::vector<double> cached_reference(const std::string& key, std::int64_t count,
                                     const std::function<std::vector<double>()>& compute);

}  // namespace msda
