#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <span>

#include <fmt/format.h>

#include <msda/operators/forward.hpp>
#include <msda/operators/fused.hpp>

#include "external/external.hpp"
#include "external/library.hpp"
#include "input/tensor_files.hpp"
#include "operators/operator.hpp"
#include "problem/tensor_names.hpp"

namespace msda {
namespace {

constexpr const char* kPointers = "msda-c-1";  ///< of the operator `forward`
constexpr const char* kList = "msda-c-2";
constexpr const char* kAnyDevice = "any";
constexpr const char* kNotNormalized = "no";

static_assert([] {
  constexpr msda_type kCodes[] = {MSDA_FP32, MSDA_FP16, MSDA_BF16};
  return std::ranges::equal(
      kCodes, kDTypes, {}, [](msda_type code) { return std::int32_t{code}; }, &DTypeTraits::c_code);
}());

std::int32_t type_code(DType type) { return traits_of(type).c_code; }

/// The problem as the library gets it, together with the arrays and the text that it points to.
class ProblemInC {
 public:
  ProblemInC(const Problem& problem, DeviceKind device, std::string options, std::string_view op)
      : starts_(problem.level_starts()), options_(std::move(options)), operator_(op) {
    for (const Level& level : problem.levels) {
      shapes_.push_back(level.height);
      shapes_.push_back(level.width);
    }
    for (std::size_t l = 0; l < problem.levels.size(); ++l) {
      points_.push_back(problem.points_of(l));
    }
    for (std::int64_t point = 0; point < problem.row_points(); ++point) {
      box_parts_.push_back(static_cast<float>(fused::part_of_box(problem, point)));
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
          .options = options_.c_str(),
          .operator_name = operator_.c_str(),
          .reference_type = type_code(problem.types.reference),
          .reference_coordinates = static_cast<std::int32_t>(problem.references.coordinates),
          .reference_anchors = problem.references.anchors,
          .level_points = points_.data(),
          .box_parts = problem.references.coordinates == 4 ? box_parts_.data() : nullptr,
          .padded = problem.padding ? 1 : 0};
  }
  ProblemInC(const ProblemInC&) = delete;
  ProblemInC& operator=(const ProblemInC&) = delete;

  const msda_problem& get() const { return c_; }

 private:
  std::vector<std::int64_t> shapes_;
  std::vector<std::int64_t> starts_;
  std::vector<std::int64_t> points_;  ///< by level
  std::vector<float> box_parts_;      ///< by point of a row
  std::string options_;
  std::string operator_;
  msda_problem c_{};
};

/// The tensors of a call as the signature msda-c-2 has them.
class TensorsInC {
 public:
  TensorsInC(std::span<const TensorSpec> specs, const Problem& problem) {
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const TensorSpec& spec = specs[i];
      msda_tensor tensor{};
      tensor.name = spec.name.data();
      tensor.type = spec.type == nullptr ? MSDA_BOOL : type_code(type_of(problem, spec));
      tensor.role = spec.role == TensorSpec::Role::kOutput ? MSDA_OUTPUT : MSDA_INPUT;
      for (const Axis axis : file_axes(problem, spec)) {
        tensor.extent[tensor.rank++] = extent(problem, axis);
      }
      add(tensor, i);
    }
    const std::int64_t levels = problem.level_count();
    add({"spatial_shapes", nullptr, MSDA_INT64, MSDA_INPUT, 2, 0, {levels, 2}}, kShapes);
    add({"level_start_index", nullptr, MSDA_INT64, MSDA_INPUT, 1, 0, {levels}}, kStarts);
  }

  /// Those that are there; an unwanted derived tensor is not.
  std::span<const msda_tensor> of(const Tensors& tensors) {
    count_ = 0;
    for (const auto& [tensor, number] : all_) {
      void* const data = data_of(tensors, number);
      if (data == nullptr) continue;
      given_[count_] = tensor;
      given_[count_++].data = data;
    }
    return std::span(given_).first(count_);
  }

 private:
  static constexpr std::size_t kShapes = kMostTensors;
  static constexpr std::size_t kStarts = kMostTensors + 1;

  static void* data_of(const Tensors& tensors, std::size_t number) {
    if (number == kShapes) return const_cast<std::int64_t*>(tensors.shapes);
    if (number == kStarts) return const_cast<std::int64_t*>(tensors.starts);
    return tensors[number];
  }
  void add(const msda_tensor& tensor, std::size_t number) { all_.emplace_back(tensor, number); }

  std::vector<std::pair<msda_tensor, std::size_t>> all_;
  std::array<msda_tensor, kMostTensors + 2> given_{};
  std::size_t count_ = 0;
};

class ExternalExecutable final : public Executable {
 public:
  ExternalExecutable(ExternalLibrary library, const Operator& op, const Problem& problem,
                     DeviceKind device, const std::string& options, bool takes_list)
      : library_(std::move(library)),
        problem_(problem, device, options, op.name()),
        wants_logits_(library_.query(problem_.get()).wants_logits != 0) {
    if (takes_list) list_.emplace(op.tensors(), problem);
  }
  ExternalExecutable(const ExternalExecutable&) = delete;
  ExternalExecutable& operator=(const ExternalExecutable&) = delete;

  ~ExternalExecutable() override {
    if (library_.release_entry == nullptr) return;
    for (const Bound& bound : bound_) {
      if (bound.state != nullptr) library_.release_entry(bound.state);
    }
  }

  bool wants(std::string_view name) const override { return wants_logits_ && name == "logits"; }

  void bind(const Tensors& tensors) override {
    if (!has_prepare() || find(tensors) != nullptr) return;
    bound_.push_back({tensors.data, nullptr});
    prepare(bound_.back(), tensors, nullptr);
  }

  void launch(const Tensors& tensors, Stream stream) override {
    const Bound* const bound = find(tensors);
    void* const state = bound != nullptr ? bound->state : nullptr;
    library_.check(call(tensors, state, stream), "");
  }

  std::vector<LaunchPart> parts() override {
    if (!has_prepare()) return {};
    return {{"prepare",
             [this](const Tensors& tensors, Stream stream) {
               if (Bound* bound = find(tensors)) prepare(*bound, tensors, stream);
             },
             true},
            {"kernel", [this](const Tensors& tensors, Stream stream) { launch(tensors, stream); }}};
  }

 private:
  /// An input set and what the library made of it.
  struct Bound {
    std::array<void*, kMostTensors> data;
    void* state = nullptr;
  };

  bool has_prepare() const { return library_.prepare_entry<msda_prepare_entry>() != nullptr; }

  Bound* find(const Tensors& tensors) {
    // A derived tensor that another arm wants may have been added since.
    const auto is_same = [](void* bound, void* now) { return bound == nullptr || bound == now; };
    for (Bound& bound : bound_) {
      if (std::ranges::equal(bound.data, tensors.data, is_same)) return &bound;
    }
    return nullptr;
  }

  const void* weights_of(const forward::View& view) const {
    return wants_logits_ ? view.logits : view.weights;
  }

  int call(const Tensors& tensors, void* state, Stream stream) {
    if (list_) {
      const auto list = list_->of(tensors);
      return library_.entry<msda_operator_entry>()(
          list.data(), static_cast<std::int32_t>(list.size()), &problem_.get(), state, stream);
    }
    const forward::View view(tensors);
    return library_.entry<msda_entry>()(view.value, tensors.shapes, tensors.starts, view.locations,
                                        weights_of(view), view.output, &problem_.get(), state,
                                        stream);
  }

  int call_prepare(const Tensors& tensors, void** state, Stream stream) {
    if (list_) {
      const auto list = list_->of(tensors);
      return library_.prepare_entry<msda_operator_prepare_entry>()(
          list.data(), static_cast<std::int32_t>(list.size()), &problem_.get(), state, stream);
    }
    const forward::View view(tensors);
    return library_.prepare_entry<msda_prepare_entry>()(
        view.value, tensors.shapes, tensors.starts, view.locations, weights_of(view), view.output,
        &problem_.get(), state, stream);
  }

  void prepare(Bound& bound, const Tensors& tensors, Stream stream) {
    library_.check(call_prepare(tensors, &bound.state, stream), "_prepare");
  }

  ExternalLibrary library_;
  ProblemInC problem_;
  bool wants_logits_;
  std::optional<TensorsInC> list_;  ///< of the signature msda-c-2
  std::vector<Bound> bound_;
};

/// A part of the library's arithmetic, which verification has to know.
ParameterSpec rounds_to(const std::string& name, const std::string& what) {
  return ParameterSpec::one_of<std::string>(name, "the type that " + what,
                                            std::string(name_of(kWidest)), all_names<DType>());
}

ParameterSpec is_normalized() {
  std::vector<std::string> types = all_names<DType>();
  types.insert(types.begin(), kNotNormalized);
  return ParameterSpec::one_of<std::string>(
      "normalized", "the type of locations as numbers from -1 to 1, where it takes them so",
      kNotNormalized, types);
}

class ExternalKernel final : public Kernel {
 public:
  ExternalKernel()
      : Kernel(
            {.name = kExternalVariant,
             .summary = "a kernel in a shared library, behind a C entry (msda/external.h), or a "
                        "Python callable",
             .parameters = {ParameterSpec::file("library", "the shared library"),
                            ParameterSpec::file("python",
                                                "in place of one: FILE.py:FUNCTION or "
                                                "PACKAGE.MODULE:FUNCTION"),
                            ParameterSpec::text("interpreter", "whose packages it sees", "python3"),
                            ParameterSpec::text("symbol", "name of its entry", "msda_forward"),
                            ParameterSpec::one_of<std::string>("signature",
                                                               "what the entry is called with",
                                                               kPointers, {kPointers, kList}),
                            ParameterSpec::text("operator", "what it computes",
                                                std::string(kDefaultOperator)),
                            ParameterSpec::flag("deterministic",
                                                "whether every run leaves the same bits", true),
                            ParameterSpec::one_of<std::string>(
                                "device", "where it runs", kAnyDevice, {kAnyDevice, "cpu", "cuda"}),
                            ParameterSpec::text("options", "handed to the library as it is", ""),
                            ParameterSpec::text("revision", "of its sources, for reports", ""),
                            rounds_to("coordinates", "pixel coordinates are computed in"),
                            is_normalized(),
                            rounds_to("weights", "the weights of corners are rounded to"),
                            rounds_to("sums", "the corners of all points are summed in")}},
            {DeviceKind::kCpu, DeviceKind::kCuda}) {}

  std::vector<DeviceKind> devices(const Parameters& parameters) const override {
    const auto& device = parameters.get<std::string>("device");
    if (device == name_of(DeviceKind::kCpu)) return {DeviceKind::kCpu};
    if (device == name_of(DeviceKind::kCuda)) return {DeviceKind::kCuda};
    return Kernel::devices(parameters);
  }

  std::optional<std::string> unsupported(const Problem& problem, const DeviceInfo&,
                                         const Parameters& parameters) const override {
    const Operator& op = find_operator(parameters.get<std::string>("operator"));
    const auto& library = parameters.get<std::string>("library");
    if (is_python(parameters)) {
      if (library.empty()) return std::nullopt;
      return "a library and a Python callable are given: one arm has one of them";
    }
    if (!takes_list(parameters) && !op.has_tensors_of(find_operator(kDefaultOperator))) {
      return fmt::format("the signature {} is of the operator '{}'; '{}' takes {}", kPointers,
                         kDefaultOperator, op.name(), kList);
    }
    if (!takes_list(parameters) && !problem.level_points.empty()) {
      return fmt::format("with the signature {} levels have the same number of points", kPointers);
    }
    if (library.empty()) return "no library and no Python callable is given";
    std::error_code failure;
    if (std::filesystem::exists(library, failure)) return std::nullopt;
    return "there is no library " + library;
  }

  std::string computes(const Parameters& parameters) const override {
    return parameters.get<std::string>("operator");
  }

  bool deterministic(std::string_view, const Parameters& parameters) const override {
    return parameters.get<bool>("deterministic");
  }

  Arithmetic arithmetic(const Problem&, const Parameters& parameters) const override {
    Arithmetic arithmetic;
    // How often it rounds on the way is not known: weights may be made of rounded logits.
    const auto declare = [&](const char* name, double times, Rounding& rounding) {
      const DType type = value_named<DType>(parameters.get<std::string>(name));
      if (type != kWidest) rounding = {format_of(type), times};
    };
    declare("coordinates", 4, arithmetic.coordinates);
    if (const auto& type = parameters.get<std::string>("normalized"); type != kNotNormalized) {
      arithmetic.normalized = {format_of(value_named<DType>(type)), 4};
    }
    declare("weights", 8, arithmetic.weights);
    declare("sums", 0, arithmetic.sums);
    declare("sums", 0, arithmetic.accumulation);
    return arithmetic;
  }

  std::unique_ptr<Executable> prepare(const Problem& problem, const DeviceInfo& device,
                                      const Parameters& parameters) const override {
    ExternalLibrary library =
        is_python(parameters) ? ExternalLibrary::python(parameters.get<std::string>("python"),
                                                        parameters.get<std::string>("interpreter"))
                              : ExternalLibrary(parameters.get<std::string>("library"),
                                                parameters.get<std::string>("symbol"));
    return std::make_unique<ExternalExecutable>(
        std::move(library), find_operator(parameters.get<std::string>("operator")), problem,
        device.kind, parameters.get<std::string>("options"), takes_list(parameters));
  }

 private:
  static bool is_python(const Parameters& parameters) {
    return !parameters.get<std::string>("python").empty();
  }
  static bool takes_list(const Parameters& parameters) {
    return is_python(parameters) || parameters.get<std::string>("signature") == kList;
  }
};

}  // namespace

std::shared_ptr<const Variant> make_external_variant() {
  return std::make_shared<ExternalKernel>();
}

}  // namespace msda
