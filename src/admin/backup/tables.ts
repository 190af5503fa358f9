/** Tables that no backup holds: they tell of processes that run now, and nothing of what happened. */
export const notBackedUp: ReadonlySet<string> = new Set(["processes"]);

/** Tables in which migrations or a first start leave rows: with nothing in any other the database counts as empty. */
export const filledFromTheStart: ReadonlySet<string> = new Set([
  "schema_migrations",
  "journal_head",
  "rollup_folds",
  "processes",
  "chores",
  "reported_health",
]);
