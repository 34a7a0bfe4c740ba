#include "trace/trace.hpp"

#include <mutex>
#include <vector>

#if __has_include(<nvtx3/nvToolsExt.h>)
#define MSDA_HAS_NVTX 1
#include <nvtx3/nvToolsExt.h>
#endif

namespace msda::trace {
namespace {

/// Names of the open ranges. The heartbeat thread of a worker reads them while the main thread
/// works.
struct OpenRanges {
  std::mutex mutex;
  std::vector<std::string> names;
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
          Category::kProfiled, Category::kPart}) {
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
  }
  return "?";
}

Range::Range(Category category, std::string_view name) {
  std::string full(name_of(category));
  if (!name.empty()) full.append(" ").append(name);
  push(category, full);
  const std::lock_guard lock(ranges().mutex);
  ranges().names.push_back(std::move(full));
}

Range::~Range() {
  {
    const std::lock_guard lock(ranges().mutex);
    ranges().names.pop_back();
  }
  pop();
}

std::string open_ranges() {
  const std::lock_guard lock(ranges().mutex);
  std::string text;
  for (const std::string& name : ranges().names) {
    if (!text.empty()) text += " > ";
    text += name;
  }
  return text;
}

bool has_nvtx() {
#ifdef MSDA_HAS_NVTX
  return true;
#else
  return false;
#endif
}

}  // namespace msda::trace
