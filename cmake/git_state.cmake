# cmake -DGIT=... -DSOURCE=... -DFILE=... -P git_state.cmake: writes the state of the sources, which goes into every
# manifest, to FILE, and leaves it alone where nothing has changed.
set(MSDA_GIT_STATE unknown)
if(GIT)
  execute_process(
    COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --tags
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(MSDA_GIT_STATE ${described})
  endif()
endif()
file(CONFIGURE OUTPUT ${FILE} CONTENT [[
namespace msda {
extern const char* const kGitState;
const char* const kGitState = "@MSDA_GIT_STATE@";
}  // namespace msda
]] @ONLY)
