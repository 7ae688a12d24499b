/* Lines of a trace, parsed and written, with what has to hold asserted. */
#ifndef TESTS_SUPPORT_LINE_H
#define TESTS_SUPPORT_LINE_H

#include <seen/sys/trace.h>

/* Parses a line that is right. The caller frees it. */
seen_trace_line *line_parse(const char *text);

/* A line as text, in a buffer that the next call takes over. */
const char *line_write(const seen_trace_line *line);

/* The text is written as it was parsed. */
void line_check(const char *text);

/* The text is written as another, which is written as itself. */
void line_check_as(const char *text, const char *written);

/* The text is refused with this message. */
void line_refused(const char *text, const char *message);

/* A struct is refused by the writer with this message. */
void line_unwritable(const seen_trace_line *line, const char *message);

#endif
