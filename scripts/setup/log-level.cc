// A part of tfjs's addon. TF_CPP_MIN_LOG_LEVEL silences libtensorflow, but for what it logs by Abseil, which reads no variable:
// two lines, written while the library is loaded, stood above every command's output. The addon comes before the libraries that
// it needs when Linux looks for a function, so that they ask this one for the least severity.
#include <cstdlib>
#if __has_include("absl/log/globals.h")
#include "absl/log/globals.h"
namespace absl {
ABSL_NAMESPACE_BEGIN
LogSeverityAtLeast MinLogLevel() {
  static const char* level = std::getenv("TF_CPP_MIN_LOG_LEVEL");
  return static_cast<LogSeverityAtLeast>(level == nullptr ? 0 : std::atoi(level));
}
ABSL_NAMESPACE_END
}  // namespace absl
#endif
