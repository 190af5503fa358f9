/**
 * The numbers of our advisory locks on the database. Each keeps its meaning for ever, and none is used again: daemons of two versions may share a
 * database. All but the first two are classes of locks, one for each camera, class or worker.
 */
export const advisoryLocks = {
  /** Bringing the schema forward. */
  schema: 7_266_311_405,
  /** Giving a camera its id, name or folder. */
  cameraIdentities: 7_006,
  /** Opening, filling or closing batches of a camera. */
  batches: 7_001,
  /** Recognising objects of a class by their vectors. */
  vectors: 7_002,
  /** Learning or forgetting what is usual at a camera. */
  baselines: 7_004,
  /** Being the daemon in which a worker runs of which there is one at a time; held by a session. */
  singletons: 7_005,
} as const;
