/*
 * What a client costs, beside floors of the same run, in turn: from a word of
 * the host to its badge, to the server and back, a cold start, memory, and the
 * size of the library. Nothing here fails for being slow.
 *
 * SEEN_SERVER, SEEN_ECHO and SEEN_LIBRARY name the programs and the library.
 */
#include "figure.h"
#include "parts.h"
#include "stand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>
#include <unistd.h>

static const char *needed(const char *name) {
  const char *path = getenv(name);
  if (path == NULL) stand_fail(name, NULL);
  return path;
}

static void measure_size(const char *library) {
  char command[1024];
  struct stat file;
  snprintf(command, sizeof command, "strip -o '%s' '%s'", stand_path("library"),
           library);
  if (system(command) != 0 || stat(stand_path("library"), &file) != 0) {
    printf("\n  the library can't be stripped\n");
    return;
  }
  unlink(stand_path("library"));
  printf("\nthe shared library, stripped\n");
  figure_number("all of it", (double)file.st_size / 1024, "KB", 300);
}

int main(int count, char **arguments) {
  if (count == 3 && strcmp(arguments[1], "memory") == 0) {
    print_memory(arguments[2]);
    return 0;
  }
  stand_begin();
  measure_badge();
  measure_report(needed("SEEN_SERVER"), needed("SEEN_ECHO"));
  measure_start(arguments[0]);
  measure_size(needed("SEEN_LIBRARY"));
  return 0;
}
