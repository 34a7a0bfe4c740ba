// --- Tensor maps --------------------------------------------------------------------------------

namespace {

/// Adds the maps that the kernel wants. Code for devices before TMA copies no boxes.
int add_maps(Tuned& tuned, int64_t batch, msda::AllArguments& arguments) {
  if (code_capability(tuned) < 90) return 0;
  const void* values = msda::runtime::stored_values(tuned.plan, arguments);
  return code_of(msda::runtime::add_maps(tuned.plan, values, batch, arguments));
}

}  // namespace
