// The git checkout that results are published in: whether what was measured is what its history
// has.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace msda {

class Checkout {
 public:
  /// The checkout that `inside` lies in. Throws UsageError where it lies in none, EnvironmentError
  /// without git.
  explicit Checkout(const std::filesystem::path& inside);

  const std::filesystem::path& root() const { return root_; }
  /// Throws UsageError that names the first changed or new file outside of `published`, a folder of
  /// the checkout.
  void require_clean(const std::filesystem::path& published) const;
  /// Throws UsageError unless the checkout's HEAD is `commit` or comes after it.
  void require_ancestor(const std::string& commit) const;

 private:
  std::filesystem::path root_;
};

/// The commit in a manifest's "git_state": of "v0.1.0-12-gabc1234" it is abc1234, of "v0.1.0" the
/// tag. Throws UsageError for sources that were changed ("-dirty") or of no checkout.
std::string commit_of(const std::string& git_state);

}  // namespace msda
