/* Lines of text: of a whole file, and of a trace as text. */
#ifndef LOGCHAT_LINES_H
#define LOGCHAT_LINES_H

#include <seen/sys/trace.h>

typedef struct text_file {
  char *text; /* with a NUL behind it */
  size_t size;
  size_t at; /* where the next line begins */
} text_file;

/* Reads all of a file, "-" being the standard input. False where it can't be
 * read; errno says why. */
bool text_file_read(text_file *file, const char *path);
void text_file_free(text_file *file);

/* The next line without its newline; false at the end. */
bool text_file_next(text_file *file, const char **line, size_t *size);

/* A line of a trace as text, which the caller frees; NULL and an error where
 * it can't be written. */
char *trace_line_text(const seen_trace_line *line, seen_error *error);

#endif
