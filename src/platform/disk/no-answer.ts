/** A file system that gave no answer in time, or has not answered an earlier question yet. Its code is that of the system for the same. */
export class NoAnswer extends Error {
  override name = "NoAnswer";
  readonly code = "ETIMEDOUT";

  constructor(folder: string) {
    super(`${folder} does not answer; is its disk or share away?`);
  }
}
