#include "measure/compile_all.hpp"

#include <chrono>
#include <mutex>

#include "parallel.hpp"

namespace msda {

std::vector<CompileOutcome> compile_all(
    Device& device, const std::vector<const Composition*>& compositions, const Problem& problem,
    const std::function<void(const CompileProgress&)>& on_progress) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<CompileOutcome> outcomes(compositions.size());
  CompileProgress progress;
  progress.count = static_cast<int>(compositions.size());
  std::mutex mutex;
  parallel_for(progress.count, 1, 0, [&](std::int64_t begin, std::int64_t) {
    const auto i = static_cast<std::size_t>(begin);
    CompileOutcome& outcome = outcomes[i];
    try {
      outcome.build = device.compile(*compositions[i], problem);
    } catch (...) {
      outcome.failure = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    ++progress.done;
    if (outcome.build.compilation.from_cache) ++progress.from_cache;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    progress.seconds = passed.count();
    on_progress(progress);
  });
  return outcomes;
}

}  // namespace msda
