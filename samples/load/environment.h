/* What figures depend on: the machine, the system, libraries, the database. */
#ifndef LOAD_ENVIRONMENT_H
#define LOAD_ENVIRONMENT_H

#include "started.h"

#include <cjson/cJSON.h>

/* `on` is NULL for a server that was not started here. */
cJSON *environment_tree(const started *on);

#endif
