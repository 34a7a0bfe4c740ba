// The boundary between the program and a plugin: one exported C-layout manifest, read and checked
// before any C++ object crosses. A plugin's source ends with MSDA_PLUGIN(TheVariantClass).
#pragma once

#include <cstdint>

#include <msda/embedded_source.hpp>
#include <msda/operators/forward.hpp>
#include <msda/variant.hpp>

namespace msda {

/// Raised whenever a public header changes what crosses the boundary: objects, or what a skeleton
/// asks of a plugin's device code.
inline constexpr std::uint32_t kPluginAbi = 9;
inline constexpr std::uint32_t kPluginMagic = 0x4144534d;  // "MSDA"
inline constexpr const char* kPluginSymbol = "msda_plugin_manifest";

/// C++ ABI and standard library that both sides must share. GCC and Clang of all versions since 3.4
/// lay out objects and call virtual functions as the Itanium C++ ABI says, so that a plugin may be
/// built by another compiler than the program; what their ABI versions differ in is the names of
/// symbols, and a plugin exports one, in C.
#if defined(__GXX_ABI_VERSION) && __GXX_ABI_VERSION >= 1002
#define MSDA_COMPILER_TAG "itanium"
#else
#define MSDA_COMPILER_TAG "unknown"
#endif
#if defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI
#define MSDA_LIBRARY_TAG "libstdc++-cxx11"
#elif defined(__GLIBCXX__)
#define MSDA_LIBRARY_TAG "libstdc++-cxx03"
#else
#define MSDA_LIBRARY_TAG "libc++"
#endif
inline constexpr const char* kToolchain = MSDA_COMPILER_TAG "-" MSDA_LIBRARY_TAG;

/// A number made of the sizes of `Types`, in order.
template <class... Types>
constexpr std::uint32_t number_of_sizes() {
  std::uint32_t number = 2166136261U;  // FNV-1a
  ((number = (number ^ static_cast<std::uint32_t>(sizeof(Types))) * 16777619U), ...);
  return number;
}

/// What crosses the boundary. A plugin that was built with members more or fewer in one of these
/// would be misread, as long as nobody has raised kPluginAbi.
inline constexpr std::uint32_t kLayouts =
    number_of_sizes<EmbeddedSource, Error, UsageError, EnvironmentError, Unsupported, Rounding,
                    Arithmetic, Format, DTypeTraits, Types, TensorSpec, Tensors, Traffic,
                    ParameterSpec, Parameters, Level, References, Problem, DeviceInfo, LaunchPart,
                    Executable, VariantInfo, Variant, Optimization, Kernel>();

/// Grows at its end only.
struct PluginManifest {
  std::uint32_t magic;         ///< kPluginMagic
  std::uint32_t abi;           ///< kPluginAbi
  std::uint32_t size;          ///< sizeof(PluginManifest) when the plugin was built
  std::uint32_t source_count;  ///< entries of `sources`
  const char* toolchain;       ///< kToolchain
  const char* name;            ///< the variant's name
  const char* version;         ///< the plugin's own version
  const EmbeddedSource* sources;
  Variant* (*create)();     ///< may throw; the caller owns the result
  const char* build_type;   ///< CMake's, "Release"; "" when it has none
  std::uint32_t optimized;  ///< 1 when the compiler optimized, 0 when it did not
  std::uint32_t layouts;    ///< kLayouts when the plugin was built
};

#if defined(__OPTIMIZE__)
inline constexpr std::uint32_t kOptimized = 1;
#else
inline constexpr std::uint32_t kOptimized = 0;
#endif

}  // namespace msda

#define MSDA_EXPORT __attribute__((visibility("default")))

/// MSDA_VARIANT_NAME, MSDA_VARIANT_VERSION, MSDA_BUILD_TYPE and the embedded sources come from
/// msda_add_variant() in CMake.
#if !defined(MSDA_BUILD_TYPE)
#define MSDA_BUILD_TYPE ""
#endif
#define MSDA_PLUGIN(VariantClass)                                           \
  namespace msda::embedded {                                                \
  extern const ::msda::EmbeddedSource kSources[];                           \
  }                                                                         \
  extern "C" MSDA_EXPORT const ::msda::PluginManifest msda_plugin_manifest; \
  const ::msda::PluginManifest msda_plugin_manifest = {                     \
      ::msda::kPluginMagic,                                                 \
      ::msda::kPluginAbi,                                                   \
      sizeof(::msda::PluginManifest),                                       \
      MSDA_SOURCE_COUNT,                                                    \
      ::msda::kToolchain,                                                   \
      MSDA_VARIANT_NAME,                                                    \
      MSDA_VARIANT_VERSION,                                                 \
      ::msda::embedded::kSources,                                           \
      []() -> ::msda::Variant* { return new VariantClass(); },              \
      MSDA_BUILD_TYPE,                                                      \
      ::msda::kOptimized,                                                   \
      ::msda::kLayouts,                                                     \
  };
