/* What a transport is made with by default. */
#include <seen/sys/transport.h>

#include <string.h>

enum { POLL_MS = 25000 };

void seen_net_options_init(seen_net_options *options) {
  memset(options, 0, sizeof *options);
  options->size = sizeof *options;
  options->poll_ms = POLL_MS;
  options->log_level = SEEN_LOG_WARN;
}
