/* The version that was compiled, whatever headers a host was built with. */
#include <seen/types.h>

const char *seen_version(void) {
  return SEEN_VERSION;
}
