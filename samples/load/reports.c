/*
 * How many reports are taken: frames of many items, several of a connection
 * in flight.
 */
#include "reporting.h"

const load load_reports = {
    .unit = "reports",
    .open = reporters_open,
    .close = reporters_close,
    .act = reporters_act,
    .frame = reporters_frame,
    .section = "merge",
    .tell = reporters_tell,
};
