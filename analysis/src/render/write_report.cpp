#include <iterator>
#include <vector>

#include "files/write.hpp"
#include "parallel.hpp"
#include "render/formats.hpp"

namespace msda {
namespace {

struct ReportFile {
  const char* name;
  std::string (*text)(const Report& report);
};

}  // namespace

void write_report(const Report& report, const std::filesystem::path& directory) {
  // The longest first: they are written at the same time.
  std::vector<ReportFile> files = {{"report.json", to_json}, {"records.csv", to_samples_csv},
                                   {"report.html", to_html}, {"tables.tex", to_latex},
                                   {"report.csv", to_csv},   {"report.md", to_markdown},
                                   {"paper.tex", to_paper}};
  if (!report.claims.empty()) files.push_back({"claims.csv", to_claims_csv});
  if (report.ablation) {
    files.push_back({"effects.csv", [](const Report& r) { return effects_to_csv(*r.ablation); }});
  }
  parallel_for(std::ssize(files), 1, 0, [&](std::int64_t begin, std::int64_t) {
    const auto& [name, text] = files[static_cast<std::size_t>(begin)];
    write_atomically(directory / name, text(report));
  });
}

}  // namespace msda
