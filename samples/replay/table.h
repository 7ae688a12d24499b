/* What an engine shows, for a person to read. */
#ifndef REPLAY_TABLE_H
#define REPLAY_TABLE_H

#include <seen/sys/engine.h>

/* Prints all conversations in display order, and the totals. */
void table_print(seen_engine *engine, uint32_t cap);

/* Prints how a conversation's unread came about; false where there is no such
 * conversation. */
bool table_explain(const seen_engine *engine, const char *id);

#endif
