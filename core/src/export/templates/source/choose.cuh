// --- Choosing -----------------------------------------------------------------------------------
// Which kernel of a table a problem gets: one whose constants are its level sizes (fixed); else one
// for its class of pyramids that gets them as arguments (given) or, where the host does not know
// them, reads them from the device's memory (stored); of several the one that was chosen for the
// nearest number of queries.

namespace {

template <class T>
constexpr int32_t kTypeOf = MSDA_FP32;
template <>
constexpr int32_t kTypeOf<__half> = MSDA_FP16;
template <>
constexpr int32_t kTypeOf<__nv_bfloat16> = MSDA_BF16;

/// The part of a box that an offset of 1 moves a point of a row by.
template <class P, class References>
float box_part(int point) {
  if constexpr (requires { References::scale_of(0); }) return References::scale_of(point);
  return References::scale / static_cast<float>(msda::points_of<P>(msda::level_of<P>(point)));
}

/// `References`: how reference points lie, of operators that have them.
template <class P, class References = void>
constexpr Shape shape_of() {
  Shape shape = {};
  shape.types[0] = kTypeOf<typename P::Value>;
  shape.types[1] = kTypeOf<typename P::Location>;
  shape.types[2] = kTypeOf<typename P::Weight>;
  shape.types[3] = kTypeOf<typename P::Output>;
  if constexpr (!std::is_void_v<References>) {
    shape.reference_type = kTypeOf<typename References::Element>;
    shape.coordinates = References::coordinates;
    shape.anchors = References::anchors;
    if (References::coordinates == 4) shape.box_part = box_part<P, References>;
    shape.padded = References::padding;
  }
  shape.layout = P::kBordered ? MSDA_ZERO_BORDER : MSDA_PLAIN;
  shape.heads = P::kHeads;
  shape.channels = P::kChannels;
  shape.levels = P::kLevels;
  for (int l = 0; l < P::kLevels; ++l) shape.points[l] = msda::points_of<P>(l);
  if constexpr (requires { P::kSpatialSize; }) {
    shape.pixels = P::kSpatialSize;
    for (int l = 0; l < P::kLevels; ++l) {
      shape.size[2 * l] = P::height(l);
      shape.size[2 * l + 1] = P::width(l);
      shape.start[l] = P::start(l);
    }
  } else {
    shape.pyramids = P::kClass;
  }
  return shape;
}

constexpr const char* kForms[] = {"fixed", "given", "stored"};  ///< by msda::LevelsFrom

/// Whether the word is among the options, which lie between commas: a form's name, "general" and
/// others.
bool has_option(const msda_problem& p, const char* word) {
  const size_t length = std::strlen(word);
  for (const char* at = p.options; at != nullptr; at = std::strchr(at, ',')) {
    if (*at == ',') ++at;
    if (std::strncmp(at, word, length) == 0 && (at[length] == '\0' || at[length] == ','))
      return true;
  }
  return false;
}

/// Whether the host knows the sizes: with the option "stored" it is taken not to.
bool knows_sizes(const msda_problem& p) {
  return p.shapes != nullptr && !has_option(p, kForms[msda::kStoredLevels]);
}

/// Whether the caller knows a field of the problem: structs grow at their ends.
bool has_field(const msda_problem& p, size_t offset) { return p.size > offset; }

bool is_padded(const msda_problem& p) {
  return has_field(p, offsetof(msda_problem, padded)) && p.padded != 0;
}
int64_t points_of(const msda_problem& p, int64_t level) {
  const bool by_level = has_field(p, offsetof(msda_problem, level_points));
  return by_level && p.level_points != nullptr ? p.level_points[level] : p.points;
}
int64_t row_points(const msda_problem& p) {
  int64_t sum = 0;
  for (int64_t l = 0; l < p.levels; ++l) sum += points_of(p, l);
  return sum;
}
/// Null: half of one over the points of the level.
const float* box_parts(const msda_problem& p) {
  return has_field(p, offsetof(msda_problem, box_parts)) ? p.box_parts : nullptr;
}
/// Calls each(point of a row, the part of a box that an offset of 1 moves it by) while that is true.
template <class Each>
bool all_box_parts(const msda_problem& p, const Each& each) {
  int64_t point = 0;
  for (int64_t l = 0; l < p.levels; ++l) {
    for (int64_t i = 0; i < points_of(p, l); ++i, ++point) {
      const float usual = 0.5F / static_cast<float>(points_of(p, l));
      if (!each(point, box_parts(p) != nullptr ? box_parts(p)[point] : usual)) return false;
    }
  }
  return true;
}

bool fits_points(const Shape& shape, const msda_problem& p) {
  for (int64_t l = 0; l < p.levels; ++l) {
    if (points_of(p, l) != shape.points[l]) return false;
  }
  return true;
}

bool fits_references(const Shape& shape, const msda_problem& p) {
  if (shape.coordinates == 0) return true;
  if (p.reference_coordinates != shape.coordinates || p.reference_anchors != shape.anchors ||
      p.reference_type != shape.reference_type || is_padded(p) != shape.padded)
    return false;
  constexpr float kRounding = 1e-6F;  // of products of a model's constants
  return shape.box_part == nullptr || all_box_parts(p, [&](int64_t point, float part) {
    const float own = shape.box_part(static_cast<int>(point));
    return std::abs(part - own) <= kRounding * own;
  });
}

bool fits_family(const Shape& shape, const msda_problem& p) {
  const int32_t types[4] = {p.value_type, p.location_type, p.weight_type, p.output_type};
  return std::equal(types, types + 4, shape.types) && p.layout == shape.layout &&
         p.heads == shape.heads && p.channels == shape.channels && p.levels == shape.levels &&
         fits_points(shape, p) && fits_references(shape, p);
}

bool fits_sizes(const Shape& shape, unsigned form, const msda_problem& p) {
  if (form == msda::kStoredLevels)
    return !knows_sizes(p) && msda::runtime::takes_pixels(shape.pyramids, p.spatial_size);
  if (!knows_sizes(p)) return false;
  if (form == msda::kGivenLevels)
    return msda::runtime::takes_pyramid(shape.pyramids, p.shapes, p.starts,
                                        static_cast<int>(p.levels), p.spatial_size,
                                        p.layout == MSDA_ZERO_BORDER ? 1 : 0);
  return p.spatial_size == shape.pixels &&
         std::equal(p.shapes, p.shapes + 2 * p.levels, shape.size) &&
         std::equal(p.starts, p.starts + p.levels, shape.start);
}

/// Whether options that name a form name this one.
bool is_asked(unsigned form, const msda_problem& p) {
  const bool names_one = std::any_of(std::begin(kForms), std::end(kForms),
                                     [&](const char* name) { return has_option(p, name); });
  return !names_one || has_option(p, kForms[form]);
}

/// Null where the general kernel has to do it. `repeats`: only kernels whose runs all leave the
/// same bits.
template <size_t count>
Tuned* choose(Tuned (&table)[count], const msda_problem& p, bool repeats = false) {
  if (p.device != MSDA_CUDA || has_option(p, "general")) return nullptr;
  Tuned* best = nullptr;
  double least = 0;
  for (Tuned& tuned : table) {
    if (tuned.name == nullptr || (repeats && !tuned.repeats)) continue;
    const unsigned form = tuned.plan.levels;
    if (!is_asked(form, p) || !fits_family(tuned.shape, p) || !fits_sizes(tuned.shape, form, p) ||
        !runs_here(tuned))
      continue;
    const double distance = std::abs(std::log(static_cast<double>(p.batch * p.queries + 1) /
                                              static_cast<double>(tuned.queries + 1)));
    const bool is_better = best == nullptr || form < best->plan.levels ||
                           (form == best->plan.levels && distance < least);
    if (!is_better) continue;
    best = &tuned;
    least = distance;
  }
  return best;
}

/// Which kind of kernel that is.
const char* form_of(const Tuned* tuned) {
  return tuned != nullptr ? kForms[tuned->plan.levels] : "general";
}

/// Tensors of a call at the addresses that composed kernels want.
constexpr size_t kTensorAlignment = 16;  // bytes

bool are_aligned(const void* const* tensors, size_t count) {
  return std::all_of(tensors, tensors + count, [](const void* tensor) {
    return reinterpret_cast<uintptr_t>(tensor) % kTensorAlignment == 0;
  });
}

/// The sizes as the kernel's arguments; `shapes` are those in the device's memory. The plan for
/// them.
msda::LaunchPlan add_sizes(const Tuned& tuned, const msda_problem& p, const int64_t* shapes,
                           msda::LaunchArguments& arguments) {
  if (tuned.plan.levels == msda::kFixedLevels) return tuned.plan;
  const auto levels = static_cast<int>(p.levels);
  const bool given = tuned.plan.levels == msda::kGivenLevels;
  msda::LevelSizes sizes = msda::runtime::level_sizes(given ? p.shapes : nullptr, p.starts, levels,
                                                      p.spatial_size);
  if (given) {
    sizes.resident = msda::resident_levels(sizes, levels, tuned.plan.resident);
  } else {
    static_assert(sizeof(int64_t) == sizeof(long long));
    sizes.shapes = reinterpret_cast<const long long*>(shapes);
  }
  arguments.views.sizes = sizes;
  return msda::runtime::at_sizes(tuned.plan, sizes, levels);
}

}  // namespace
