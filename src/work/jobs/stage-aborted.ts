/** The run was aborted because the daemon stops; the job is released. */
export class StageAborted extends Error {
  override name = "StageAborted";
}
