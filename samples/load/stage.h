/*
 * What has to be there before the load: conversations, their members, their
 * messages. One user makes all of it and goes before the load begins.
 */
#ifndef LOAD_STAGE_H
#define LOAD_STAGE_H

#include "run.h"

typedef struct stage stage;

/* The actor that sets up. */
#define STAGE_HOST SIZE_MAX

stage *stage_open(run *of);
void stage_close(stage *self);

/* Says what may be said now; true: all is there. */
bool stage_turn(stage *self, uint64_t now);
void stage_frame(stage *self, const char *type, const cJSON *frame);

#endif
