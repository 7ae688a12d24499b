/* A recorder of an engine that others read meanwhile. */
#ifndef SN_CLIENT_RECORDER_H
#define SN_CLIENT_RECORDER_H

#include <seen/sys/recorder.h>

#include "base/platform.h"

/*
 * As seen_recorder_new(), and in everything else too: who feeds the engine is
 * who calls here, and who reads it holds `lock`. That is taken for one look at
 * one conversation, so a beginning holds up nobody; NULL: nobody reads.
 */
int sn_recorder_new(const seen_recorder_options *recording,
                    const seen_options *options, seen_engine *engine,
                    seen_store *store, sn_mutex *lock, seen_recorder **out,
                    seen_error *error);

#endif
