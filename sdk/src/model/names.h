/* The words of traces and frames for the enums of <seen/types.h>. */
#ifndef SN_MODEL_NAMES_H
#define SN_MODEL_NAMES_H

#include <seen/types.h>

/* The word for a value, as "group"; NULL for no such value. */
const char *sn_kind_name(seen_kind value);
const char *sn_message_kind_name(seen_message_kind value);
const char *sn_mention_why_name(seen_mention_why value); /* NONE: NULL */
const char *sn_refusal_name(seen_refusal value);
const char *sn_request_name(seen_request value);

/* The value of a word: true, or false where it is no such word. */
bool sn_kind_parse(const char *name, seen_kind *value);
bool sn_message_kind_parse(const char *name, seen_message_kind *value);
bool sn_mention_why_parse(const char *name, seen_mention_why *value);
bool sn_refusal_parse(const char *name, seen_refusal *value);
bool sn_request_parse(const char *name, seen_request *value);

#endif
