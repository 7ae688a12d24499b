/*
 * The defaults of the options, and what is refused of them. Ids end up in
 * frames and in the store, so they are held to what both can carry.
 */
#include <seen/options.h>

#include <string.h>

#include "base/fail.h"
#include "base/utf8.h"

enum { ID_MAX = 255, RATE_MAX = 1000 };

void seen_options_init(seen_options *options) {
  memset(options, 0, sizeof *options);
  options->size = (uint32_t)sizeof *options;
  options->user = "";
  options->device = "";
  options->read = SEEN_READ_VIEWPORT;
  options->dwell_ms = 150;
  options->debounce_ms = 500;
  options->max_wait_ms = 1000;
  options->fetch_wait_ms = 1000;
  options->persist_ms = 200;
  options->reports_per_second = 2;
  options->burst = 4;
  options->cap = 99;
  options->own_send = SEEN_OWN_SEND_NEUTRAL;
  options->receipts = true;
  options->log_level = SEEN_LOG_WARN;
}

static int check_id(const char *field, const char *id, seen_error *error) {
  size_t size;
  if (!id) return sn_fail(error, SEEN_EINVAL, "%s: is NULL", field);
  size = strlen(id);
  if (size > ID_MAX)
    return sn_fail(error, SEEN_EINVAL, "%s: %u bytes, %u are allowed", field,
                   (uint64_t)size, (uint64_t)ID_MAX);
  if (!sn_utf8_valid(id, size))
    return sn_fail(error, SEEN_EINVAL, "%s: is not UTF-8", field);
  return SEEN_OK;
}

static int check_range(const char *field, uint64_t value, uint64_t least,
                       uint64_t most, seen_error *error) {
  if (value >= least && value <= most) return SEEN_OK;
  return sn_fail(error, SEEN_ERANGE, "%s: %u is not in %u..%u", field, value,
                 least, most);
}

static int check_allocator(const seen_allocator *memory, seen_error *error) {
  if (!memory || (memory->allocate && memory->resize && memory->release))
    return SEEN_OK;
  return sn_fail(error, SEEN_EINVAL, "allocator: a function is NULL");
}

int seen_options_check(const seen_options *options, seen_error *error) {
  int status;
  if (options->size != sizeof *options)
    return sn_fail(error, SEEN_EINVAL, "size: %u, this library's is %u",
                   (uint64_t)options->size, (uint64_t)sizeof *options);
  if ((status = check_id("user", options->user, error))) return status;
  if (!*options->user) return sn_fail(error, SEEN_EINVAL, "user: is empty");
  if ((status = check_id("device", options->device, error))) return status;
  if ((status = check_allocator(options->allocator, error))) return status;

  const struct {
    const char *field;
    uint64_t value;
    uint64_t least;
    uint64_t most;
  } ranges[] = {
      {"read", (uint64_t)options->read, 0, SEEN_READ_ON_OPEN},
      {"reports_per_second", options->reports_per_second, 1, RATE_MAX},
      {"burst", options->burst, 1, RATE_MAX},
      {"own_send", (uint64_t)options->own_send, 0, SEEN_OWN_SEND_READS},
      {"log_level", (uint64_t)options->log_level, 0, SEEN_LOG_ERROR},
  };
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    status = check_range(ranges[i].field, ranges[i].value, ranges[i].least,
                         ranges[i].most, error);
    if (status) return status;
  }
  return SEEN_OK;
}
