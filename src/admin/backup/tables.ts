/** Tables that are not backed up: they describe running processes, not history. */
export const notBackedUp: ReadonlySet<string> = new Set(["processes"]);

/** Tables that contain rows after the migrations or a first start: a database with rows only in these counts as empty. */
export const filledFromTheStart: ReadonlySet<string> = new Set([
  "schema_migrations",
  "journal_head",
  "rollup_folds",
  "processes",
  "chores",
  "reported_health",
]);
