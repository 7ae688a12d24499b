/* Plays files of vectors. */
#ifndef CONFORM_VECTORS_H
#define CONFORM_VECTORS_H

#include "names.h"
#include "peer.h"
#include "table.h"

/* False: the file can't be read, or is none of vectors; `why` says where. */
bool vectors_play(const options *how, peers *all, names *fresh, table *results,
                  const char *path, char *why);

#endif
