/*
 * The command line of a command: options `--name VALUE` or `--name=VALUE`,
 * flags `--name`, and words, which have no name, in their order.
 */
#ifndef SERVER_ARGUMENTS_H
#define SERVER_ARGUMENTS_H

#include <stdbool.h>

typedef struct argument {
  const char *name;   /* "--name"; of a word what the help calls it */
  const char **value; /* NULL: a flag */
  bool *is_given;     /* of a flag */
} argument;

/*
 * Sets what is given; `known` ends with a name NULL. False: `why` (at least
 * 512 bytes) says what is wrong.
 */
bool arguments_read(int count, char **arguments, const argument *known,
                    char *why);

#endif
