/** An aborted run: the daemon stops, the job is given back. */
export class StageAborted extends Error {
  override name = "StageAborted";
}
