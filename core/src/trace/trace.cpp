#include "trace/trace.hpp"

#include <chrono>
#include <mutex>
#include <utility>
#include <vector>

#if __has_include(<nvtx3/nvToolsExt.h>)
#define MSDA_HAS_NVTX 1
#include <nvtx3/nvToolsExt.h>
#endif

namespace msda::trace {
namespace {

using Clock = std::chrono::steady_clock;

struct OpenRange {
  std::string name;  ///< with its category
  Category category;
  Clock::time_point begin;
};

/// The heartbeat thread of a worker reads them while the main thread works.
struct OpenRanges {
  std::mutex mutex;
  std::vector<OpenRange> open;
  std::map<std::string, double> step_seconds;
};

OpenRanges& ranges() {
  static OpenRanges instance;
  return instance;
}

#ifdef MSDA_HAS_NVTX

nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t handle = [] {
    const nvtxDomainHandle_t created = nvtxDomainCreateA("msda");
    for (const Category category :
         {Category::kExperiment, Category::kCell, Category::kPhase, Category::kBlock,
          Category::kProfiled, Category::kPart, Category::kStep}) {
      nvtxDomainNameCategoryA(created, static_cast<std::uint32_t>(category),
                              std::string(name_of(category)).c_str());
    }
    return created;
  }();
  return handle;
}

void push(Category category, const std::string& name) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.category = static_cast<std::uint32_t>(category);
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name.c_str();
  nvtxDomainRangePushEx(domain(), &attributes);
}

void pop() { nvtxDomainRangePop(domain()); }

#else

void push(Category, const std::string&) {}
void pop() {}

#endif

}  // namespace

std::string_view name_of(Category category) {
  switch (category) {
    case Category::kExperiment: return "experiment";
    case Category::kCell: return "cell";
    case Category::kPhase: return "phase";
    case Category::kBlock: return "block";
    case Category::kProfiled: return "profiled";
    case Category::kPart: return "part";
    case Category::kStep: return "step";
  }
  return "?";
}

Range::Range(Category category, std::string_view name) {
  std::string full(name_of(category));
  if (!name.empty()) full.append(" ").append(name);
  push(category, full);
  const std::lock_guard lock(ranges().mutex);
  ranges().open.push_back({std::move(full), category, Clock::now()});
}

Range::~Range() {
  {
    const std::lock_guard lock(ranges().mutex);
    const OpenRange& range = ranges().open.back();
    if (range.category == Category::kStep) {
      const std::chrono::duration<double> seconds = Clock::now() - range.begin;
      ranges().step_seconds[range.name.substr(name_of(Category::kStep).size() + 1)] +=
          seconds.count();
    }
    ranges().open.pop_back();
  }
  pop();
}

std::string open_ranges() {
  const std::lock_guard lock(ranges().mutex);
  std::string text;
  for (const OpenRange& range : ranges().open) {
    if (!text.empty()) text += " > ";
    text += range.name;
  }
  return text;
}

std::map<std::string, double> take_step_seconds() {
  const std::lock_guard lock(ranges().mutex);
  return std::exchange(ranges().step_seconds, {});
}

bool has_nvtx() {
#ifdef MSDA_HAS_NVTX
  return true;
#else
  return false;
#endif
}

}  // namespace msda::trace
