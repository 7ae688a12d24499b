/* A chat log for the server: all of it becomes a conversation, or nothing. */
#define _XOPEN_SOURCE 700

#include "fuzz/target.h"

#include "import.h"
#include "recount.h"

#include <stdio.h>
#include <stdlib.h>

enum { NOW = 2000000000, WHY_BYTES = 512 };

static void differs(void *self, const char *line) {
  (void)self;
  fprintf(stderr, "%s\n", line);
  target_stop("a recount finds what is told", __FILE__, __LINE__);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  char why[WHY_BYTES] = "";
  import_report report;
  stored_conversation made;
  storage over;
  char *text;
  FILE *log;
  int status;

  if (size == 0) return 0; /* which fmemopen() refuses */
  text = target_text(bytes, size);
  log = fmemopen(text, size, "r");
  REQUIRE(log != NULL);
  REQUIRE(storage_memory_open(&over, "b1") == SEEN_OK);
  if (import_log(log, "g", &over, NOW, &report, why, sizeof why)) {
    status = over.get_conversation(over.self, "g", &made);
    REQUIRE(status == SEEN_OK && made.last_seq == report.messages);
    REQUIRE(report.members > 0);
    REQUIRE(recount(&over, "g", differs, NULL) == SEEN_OK);
  } else {
    REQUIRE(*why != '\0');
    status = over.get_conversation(over.self, "g", &made);
    REQUIRE(status == SEEN_ENOTFOUND);
  }
  over.close(over.self);
  fclose(log);
  free(text);
  return 0;
}
