/* In the place of the transport, where the library was built without it. */
#include "base/fail.h"

#include <seen/sys/transport.h>

int seen_net_open(const seen_net_options *options, seen_transport **out,
                  seen_error *error) {
  (void)options;
  *out = NULL;
  return sn_fail(error, SEEN_EUNSUPPORTED,
                 "this library was built without a transport");
}
