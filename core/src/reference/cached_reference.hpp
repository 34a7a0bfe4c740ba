// Exact results, kept in files from run to run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace msda {

/// Whether one of `count` numbers is kept. All cores compute a larger one faster than a disk and
/// one core read and check it, and a few of them would push everything else out.
bool keeps_reference(std::int64_t count);

/// What compute() gives, `count` numbers, from cache_directory()/reference/<key>.f64 when it is
/// there and whole; computed and stored (temporary file, then rename) otherwise, unless it is large
/// and was computed faster than it could be stored. A damaged entry is computed again. One that is
/// not kept is always computed.
std::vector<double> cached_reference(const std::string& key, std::int64_t count,
                                     const std::function<std::vector<double>()>& compute);

}  // namespace msda
