/* What a recorder gives, to a file or from its own. */
#ifndef REPLAY_DUMP_H
#define REPLAY_DUMP_H

#include "lines.h"

#include <seen/sys/recorder.h>

/* Writes a dump as a file; "-" is the standard output. */
int dump_write(seen_recorder *recorder, const char *path,
               seen_recorder_names names, seen_error *error);

/* What a recorder wrote to its files, as the text of a trace. */
int dump_read(const char *path, text_file *file, seen_error *error);

#endif
