// --- Tensor maps --------------------------------------------------------------------------------

namespace {

/// Adds the maps that the kernel wants. Code for devices before TMA copies no boxes.
int add_maps(Tuned& tuned, const msda::LaunchPlan& plan, int64_t batch,
             msda::AllArguments& arguments) {
  if (code_capability(tuned) < 90) return 0;
  const void* values = msda::runtime::stored_values(plan, arguments);
  return code_of(msda::runtime::add_maps(plan, values, batch, arguments));
}

}  // namespace
