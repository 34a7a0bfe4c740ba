#include "device/simt/loaded_unit.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <utility>

#include <msda/error.hpp>

#include "jit/cache_entry.hpp"

namespace msda::simt {
namespace {

/// Fills in where the segments of the library that is loaded at image.begin end.
int find_end(dl_phdr_info* info, std::size_t, void* data) {
  auto& image = *static_cast<Image*>(data);
  if (info->dlpi_addr != image.begin) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD)
      image.end = std::max(image.end, image.begin + segment.p_vaddr + segment.p_memsz);
  }
  return 1;
}

}  // namespace

LoadedUnit::LoadedUnit(Module module) : module_(std::move(module)), library_(nullptr, dlclose) {
  image_.file = module_.directory / kSharedObject;
  library_.reset(dlopen(image_.file.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (library_ == nullptr) {
    throw EnvironmentError(fmt::format("cannot load {}: {}", image_.file.string(), dlerror()));
  }
  Dl_info info{};
  if (dladdr(symbol("msda_simt_attach"), &info) == 0) {
    throw EnvironmentError(fmt::format("cannot find {} in memory", image_.file.string()));
  }
  image_.begin = reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  image_.end = image_.begin;
  dl_iterate_phdr(find_end, &image_);
}

void* LoadedUnit::symbol(const char* name) const {
  void* found = dlsym(library_.get(), name);
  if (found == nullptr) {
    throw EnvironmentError(
        fmt::format("no symbol {} in {}: remove the folder to have it compiled again", name,
                    image_.file.string()));
  }
  return found;
}

void (*LoadedUnit::kernel(const std::string& name_expression) const)(const void*) {
  return reinterpret_cast<void (*)(const void*)>(
      symbol(module_.kernels.at(name_expression).symbol.c_str()));
}

void (*LoadedUnit::attach() const)(const void*) {
  return reinterpret_cast<void (*)(const void*)>(symbol("msda_simt_attach"));
}

LaunchPlan LoadedUnit::plan() const {
  const auto get = reinterpret_cast<const void* (*)()>(symbol(module_.plan_symbol.c_str()));
  return *static_cast<const LaunchPlan*>(get());
}

}  // namespace msda::simt
