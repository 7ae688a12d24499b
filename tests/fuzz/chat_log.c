/* A chat log for the demo and seen-replay: read whole, or said what is wrong. */
#include "fuzz/target.h"

#include "log.h"

#include <string.h>

enum { WRONG_BYTES = 256 };

static void check(const chat_log *log) {
  REQUIRE(log->count > 0);
  for (size_t i = 0; i < log->count; i++) {
    const log_line *line = &log->lines[i];

    REQUIRE(i == 0 || line->at >= line[-1].at);
    if (line->from != NULL) REQUIRE(chat_log_find(log, line->from)->speaks);
    for (size_t k = 0; k < line->mention_count; k++)
      REQUIRE(log_line_mentions(line, line->mentions[k]) &&
              chat_log_find(log, line->mentions[k]) != NULL);
  }
  for (size_t i = 1; i < log->user_count; i++)
    REQUIRE(strcmp(log->users[i - 1]->id, log->users[i]->id) < 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  char wrong[WRONG_BYTES] = "";
  chat_log log;

  if (chat_log_read(&log, target_file(bytes, size), wrong, sizeof wrong)) {
    check(&log);
    chat_log_free(&log);
  } else {
    REQUIRE(*wrong != '\0');
  }
  return 0;
}
