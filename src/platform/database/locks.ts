/**
 * Numbers of the advisory locks on the database. Their meaning never changes and none is reused, since daemons of two versions may share
 * a database. All but the first two are classes of locks, one per camera, class or worker.
 */
export const advisoryLocks = {
  /** Migrating the schema. */
  schema: 7_266_311_405,
  /** Assigning a camera its id, name or folder. */
  cameraIdentities: 7_006,
  /** Opening, filling or closing batches of a camera. */
  batches: 7_001,
  /** Recognising objects of a class by their vectors. */
  vectors: 7_002,
  /** Learning or deleting the baseline of a camera. */
  baselines: 7_004,
  /** Running a worker that exists once among all daemons; held by a session. */
  singletons: 7_005,
} as const;
