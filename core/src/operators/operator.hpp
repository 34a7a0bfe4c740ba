// An Operator is what kernels compute: its tensors, what it must move, inputs, and what is right.
// One folder each; the program finds them by name and knows nothing else of them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <msda/arithmetic.hpp>
#include <msda/embedded_source.hpp>
#include <msda/operator.hpp>

#include "input/input.hpp"
#include "operators/skeleton.hpp"
#include "reference/truth.hpp"

namespace msda {

/// How the skeletons of another operator compute this one too: by a policy that fills one of their
/// slots.
struct BorrowedSkeletons {
  std::string_view op;         ///< whose they are, "forward"
  std::string_view slot;       ///< "points"
  std::string_view header;     ///< of the policy, among Operator::sources()
  std::string_view type;       ///< its class template
  std::string_view arguments;  ///< type of the kernels' arguments; {} stands for its parameters
  Arithmetic arithmetic;       ///< what the policy rounds
  bool postpass = false;       ///< it may have a pass after the main kernel
};

class Operator {
 public:
  virtual ~Operator() = default;

  virtual std::string_view name() const = 0;     ///< "forward", in YAML and records
  virtual std::string_view summary() const = 0;  ///< one line
  /// Whether queries are alike: two that exchange their rows in all inputs exchange them in all
  /// outputs that have queries, and leave the others as they are but for the order of sums. What is
  /// timed is checked by that (measure/row_watch.hpp).
  virtual bool queries_are_alike() const { return true; }
  /// Last those that a problem may do without; the first input is that which outputs take their
  /// type from.
  virtual std::span<const TensorSpec> tensors() const = 0;
  virtual Traffic traffic(const Problem& problem) const = 0;
  /// What every right implementation moves for this input, which may be less: points lie outside,
  /// weights are zero, pixels are read by several points or none. By default the least of the
  /// problem alone.
  virtual Traffic least_traffic(const Input& input) const;
  /// What Traffic::flops counts, for legends: "16 per point and output element".
  virtual std::string_view flops_text() const = 0;

  /// Random inputs; the same bits for the same seed, whatever `threads` is (0: all of them).
  virtual Input generate(const Problem& problem, const Generation& generation,
                         unsigned threads) const = 0;
  /// A derived tensor. Throws Unsupported when the inputs have none.
  virtual Bytes derive(const Input& input, std::size_t tensor) const;
  /// Each output that is asked for, in float64 from the stored (already rounded) inputs, in the
  /// order of tensors().
  virtual std::vector<std::vector<double>> reference(const Input& input,
                                                     unsigned threads) const = 0;
  /// What each output is judged by; `outputs` are those of reference().
  virtual std::vector<Truth> judge_by(const Input& input, std::vector<std::vector<double>> outputs,
                                      unsigned threads) const = 0;

  /// Kernels around slots that compute it, and the device headers that only they need: those of the
  /// operator's folder `device`, embedded by msda_add_operator(); the list ends with null pointers.
  virtual std::vector<Skeleton> skeletons() const { return {}; }
  virtual const EmbeddedSource* sources() const { return nullptr; }
  virtual std::optional<BorrowedSkeletons> borrows() const { return std::nullopt; }
  /// The borrowed slot's parameters on a problem, as members of a struct in device code.
  virtual std::string policy_parameters(const Problem& problem) const {
    static_cast<void>(problem);
    return "";
  }

  /// Numbers of the outputs among tensors().
  std::vector<std::size_t> outputs() const;
  /// Of those that the problem asks for.
  std::vector<std::size_t> outputs(const Problem& problem) const;
  /// Whether arms of both may share inputs, and outputs of one another's shape.
  bool has_tensors_of(const Operator& other) const;
};

/// All that there are, by name.
std::vector<const Operator*> operators();
std::vector<std::string> operator_names();
/// Throws UsageError with the nearest name.
const Operator& find_operator(std::string_view name);
/// What experiments mean that name none.
inline constexpr std::string_view kDefaultOperator = "forward";

/// A static object of this type adds an operator to the program that it is linked into.
struct OperatorRegistration {
  explicit OperatorRegistration(std::unique_ptr<Operator> added);
};

/// What the outputs of `op` on the input are judged by, reference() from the cache.
std::vector<Truth> make_truths(const Operator& op, const Input& input, unsigned threads = 0);

}  // namespace msda
