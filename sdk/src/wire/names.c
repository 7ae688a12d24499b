/* A table of words for each enum, by value. */
#include "wire/names.h"

#include <stddef.h>
#include <string.h>

#define COUNT(words) (sizeof(words) / sizeof *(words))

static const char *const says[] = {
    "?",        "hello", "read",    "delivered", "mark_unread",
    "read_all", "fetch", "sync",    "subscribe", "unsubscribe",
    "set",      "send",  "history", "create",    "add",
    "remove",   "join",  "leave",   "settings"};

static const char *const frames[] = {
    "?",    "welcome", "changes",    "message", "position",
    "ack",  "peer",    "receipts",   "members", "set",
    "left", "page",    "report_now", "resync",  "error"};

static const char *const results[] = {"?", "ok", "stale", "rebased", "refused"};

/* The value of a word; 0, which is unknown, where it is none of them. */
static size_t value_of(const char *const *words, size_t count,
                       const char *name) {
  for (size_t value = 1; value < count; value++)
    if (strcmp(words[value], name) == 0) return value;
  return 0;
}

const char *sn_say_name(sn_say say) {
  return says[say];
}

sn_say sn_say_of(const char *name) {
  return (sn_say)value_of(says, COUNT(says), name);
}

sn_frame_type sn_frame_type_of(const char *name) {
  return (sn_frame_type)value_of(frames, COUNT(frames), name);
}

sn_result sn_result_of(const char *name) {
  return (sn_result)value_of(results, COUNT(results), name);
}
