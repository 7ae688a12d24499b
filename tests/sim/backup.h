/*
 * Backups of the server: of SQLite its files, of the storage in memory another
 * one. Restored, the history has another name.
 */
#ifndef TESTS_SIM_BACKUP_H
#define TESTS_SIM_BACKUP_H

#include "sim/sim.h"

/* Notes the `op` of a frame that reaches the server; whether it did before. */
bool backup_note(sim_world *sim, const char *user, const char *frame);

/* Takes a backup; or puts the last one back. false: there is none. */
bool backup_take(sim_world *sim);
bool backup_restore(sim_world *sim);

void backup_end(sim_world *sim);

#endif
