/*
 * Plays the files of a folder to a target, one after the other by name: what a
 * fuzzer once kept, as an ordinary test. Prints TAP; a fault ends the process.
 * Usage: PROGRAM FOLDER
 */
#define _XOPEN_SOURCE 700

#include "fuzz/target.h"

#include "support/folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_input(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

/* The bytes alone in their block, so that one too far is noticed. */
static void play(const char *path) {
  size_t size;
  char *bytes = test_file_read(path, &size);
  uint8_t *alone = malloc(size > 0 ? size : 1);

  if (alone == NULL) abort();
  memcpy(alone, bytes, size);
  free(bytes);
  LLVMFuzzerTestOneInput(alone, size);
  free(alone);
}

int main(int count, char **arguments) {
  struct dirent **names = NULL;
  int inputs =
      count == 2 ? scandir(arguments[1], &names, is_input, alphasort) : -1;

  if (inputs <= 0) {
    fprintf(stderr, "usage: %s FOLDER, which holds inputs\n", arguments[0]);
    return 2;
  }
  printf("1..1\n");
  for (int i = 0; i < inputs; i++) {
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", arguments[1], names[i]->d_name);
    fprintf(stderr, "# %s\n", names[i]->d_name);
    play(path);
    free(names[i]);
  }
  free(names);
  printf("ok 1 - %d inputs\n", inputs);
  return 0;
}
