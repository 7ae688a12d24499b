/* Comparing what came with what a vector expects; see docs/protocol.md. */
#ifndef CONFORM_MATCH_H
#define CONFORM_MATCH_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Whether `value` holds at least what `wanted` names. */
bool holds_at_least(const cJSON *value, const cJSON *wanted);

/* The member at a path as `conversations.0.version`; NULL: there is none. */
const cJSON *member_at(const cJSON *value, const char *path);

#endif
