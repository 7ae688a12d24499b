/* What holds of an engine whatever it was told. */
#ifndef FUZZ_HOLDS_H
#define FUZZ_HOLDS_H

#include <seen/sys/engine.h>

/* Between two inputs, its effects pulled. */
void holds_now(seen_engine *engine);

/* Pulls all effects, and looks at each. */
void holds_effects(seen_engine *engine);

/* What is kept of it, and what is in work, makes the same engine (S6). */
void holds_again(seen_engine *engine, const seen_options *options);

/* A recount of all caches finds nothing (U8). */
void holds_audit(seen_engine *engine);

#endif
