#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "external/external.hpp"
#include "external/library.hpp"

namespace msda {
namespace {

constexpr const char* kSignature = "msda-c-1";
constexpr const char* kAnyDevice = "any";

std::int32_t type_code(DType type) {
  switch (type) {
    case DType::kFloat32: return MSDA_FP32;
    case DType::kFloat16: return MSDA_FP16;
    case DType::kBFloat16: return MSDA_BF16;
  }
  throw Error("unknown element type");
}

/// The problem as the library gets it, together with the arrays and the text that it points to.
class ProblemInC {
 public:
  ProblemInC(const Problem& problem, DeviceKind device, std::string options)
      : starts_(problem.level_starts()), options_(std::move(options)) {
    for (const Level& level : problem.levels) {
      shapes_.push_back(level.height);
      shapes_.push_back(level.width);
    }
    const bool bordered = problem.layout == ValueLayout::kZeroBorder;
    c_ = {.size = sizeof(msda_problem),
          .abi = MSDA_EXTERNAL_ABI,
          .device = device == DeviceKind::kCuda ? MSDA_CUDA : MSDA_CPU,
          .layout = bordered ? MSDA_ZERO_BORDER : MSDA_PLAIN,
          .value_type = type_code(problem.types.value),
          .location_type = type_code(problem.types.location),
          .weight_type = type_code(problem.types.weight),
          .output_type = type_code(problem.types.output),
          .batch = problem.batch,
          .spatial_size = problem.spatial_size(),
          .heads = problem.heads,
          .channels = problem.channels,
          .levels = problem.level_count(),
          .queries = problem.queries,
          .points = problem.points,
          .shapes = shapes_.data(),
          .starts = starts_.data(),
          .options = options_.c_str()};
  }
  ProblemInC(const ProblemInC&) = delete;
  ProblemInC& operator=(const ProblemInC&) = delete;

  const msda_problem& get() const { return c_; }

 private:
  std::vector<std::int64_t> shapes_;
  std::vector<std::int64_t> starts_;
  std::string options_;
  msda_problem c_{};
};

class ExternalExecutable final : public Executable {
 public:
  ExternalExecutable(ExternalLibrary library, const Problem& problem, DeviceKind device,
                     const std::string& options)
      : library_(std::move(library)),
        problem_(problem, device, options),
        wants_logits_(library_.query(problem_.get()).wants_logits != 0) {}
  ExternalExecutable(const ExternalExecutable&) = delete;
  ExternalExecutable& operator=(const ExternalExecutable&) = delete;

  ~ExternalExecutable() override {
    if (library_.release_entry == nullptr) return;
    for (const Bound& bound : bound_) {
      if (bound.state != nullptr) library_.release_entry(bound.state);
    }
  }

  bool wants_logits() const override { return wants_logits_; }

  void bind(const Tensors& tensors) override {
    if (library_.prepare_entry == nullptr || find(tensors) != nullptr) return;
    bound_.push_back({tensors.output, nullptr});
    prepare(bound_.back(), tensors, nullptr);
  }

  void launch(const Tensors& tensors, Stream stream) override {
    const Bound* bound = find(tensors);
    library_.check(library_.entry(tensors.value, tensors.shapes, tensors.starts, tensors.locations,
                                  weights_of(tensors), tensors.output, &problem_.get(),
                                  bound != nullptr ? bound->state : nullptr, stream),
                   "");
  }

  std::vector<LaunchPart> parts() override {
    if (library_.prepare_entry == nullptr) return {};
    return {{"prepare",
             [this](const Tensors& tensors, Stream stream) {
               if (Bound* bound = find(tensors)) prepare(*bound, tensors, stream);
             },
             true},
            {"kernel", [this](const Tensors& tensors, Stream stream) { launch(tensors, stream); }}};
  }

 private:
  /// An input set, known by its output, and what the library made of it.
  struct Bound {
    const void* output = nullptr;
    void* state = nullptr;
  };

  Bound* find(const Tensors& tensors) {
    for (Bound& bound : bound_) {
      if (bound.output == tensors.output) return &bound;
    }
    return nullptr;
  }

  const void* weights_of(const Tensors& tensors) const {
    return wants_logits_ ? tensors.logits : tensors.weights;
  }

  void prepare(Bound& bound, const Tensors& tensors, Stream stream) {
    library_.check(library_.prepare_entry(tensors.value, tensors.shapes, tensors.starts,
                                          tensors.locations, weights_of(tensors), tensors.output,
                                          &problem_.get(), &bound.state, stream),
                   "_prepare");
  }

  ExternalLibrary library_;
  ProblemInC problem_;
  bool wants_logits_;
  std::vector<Bound> bound_;
};

constexpr std::array kTypes = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};

/// A part of the library's arithmetic, which verification has to know.
ParameterSpec rounds_to(const std::string& name, const std::string& what) {
  std::vector<std::string> names;
  names.reserve(kTypes.size());
  for (const DType type : kTypes) names.emplace_back(name_of(type));
  return ParameterSpec::one_of<std::string>(name, "the type that " + what,
                                            std::string(name_of(DType::kFloat32)), names);
}

/// One of the choices of rounds_to().
DType type_named(std::string_view name) {
  return *std::find_if(kTypes.begin(), kTypes.end(),
                       [&](DType type) { return name_of(type) == name; });
}

class ExternalKernel final : public Kernel {
 public:
  ExternalKernel()
      : Kernel(
            {.name = kExternalVariant,
             .summary = "a kernel in a shared library, behind a C entry (msda/external.h)",
             .parameters = {ParameterSpec::file("library", "the shared library"),
                            ParameterSpec::text("symbol", "name of its entry", "msda_forward"),
                            ParameterSpec::one_of<std::string>("signature",
                                                               "what the entry is called with",
                                                               kSignature, {kSignature}),
                            ParameterSpec::one_of<std::string>(
                                "device", "where it runs", kAnyDevice, {kAnyDevice, "cpu", "cuda"}),
                            ParameterSpec::text("options", "handed to the library as it is", ""),
                            rounds_to("coordinates", "pixel coordinates are computed in"),
                            rounds_to("weights", "the weights of corners are rounded to"),
                            rounds_to("sums", "the corners of all points are summed in")}},
            {DeviceKind::kCpu, DeviceKind::kCuda}) {}

  std::vector<DeviceKind> devices(const Parameters& parameters) const override {
    const auto& device = parameters.get<std::string>("device");
    if (device == name_of(DeviceKind::kCpu)) return {DeviceKind::kCpu};
    if (device == name_of(DeviceKind::kCuda)) return {DeviceKind::kCuda};
    return Kernel::devices(parameters);
  }

  std::optional<std::string> unsupported(const Problem&, const DeviceInfo&,
                                         const Parameters& parameters) const override {
    const auto& library = parameters.get<std::string>("library");
    if (library.empty()) return "no library is given";
    std::error_code failure;
    if (std::filesystem::exists(library, failure)) return std::nullopt;
    return "there is no library " + library;
  }

  Arithmetic arithmetic(const Problem&, const Parameters& parameters) const override {
    Arithmetic arithmetic;
    // How often it rounds on the way is not known: weights may be made of rounded logits.
    const auto declare = [&](const char* name, double times, Rounding& rounding) {
      const DType type = type_named(parameters.get<std::string>(name));
      if (type != DType::kFloat32) rounding = {format_of(type), times};
    };
    declare("coordinates", 4, arithmetic.coordinates);
    declare("weights", 8, arithmetic.weights);
    declare("sums", 0, arithmetic.sums);
    return arithmetic;
  }

  std::unique_ptr<Executable> prepare(const Problem& problem, const DeviceInfo& device,
                                      const Parameters& parameters) const override {
    ExternalLibrary library(parameters.get<std::string>("library"),
                            parameters.get<std::string>("symbol"));
    return std::make_unique<ExternalExecutable>(std::move(library), problem, device.kind,
                                                parameters.get<std::string>("options"));
  }
};

}  // namespace

std::shared_ptr<const Variant> make_external_variant() {
  return std::make_shared<ExternalKernel>();
}

}  // namespace msda
