/** A file system did not respond in time, or has not yet ended an earlier operation. Its code is the system's code for a timeout. */
export class NoAnswer extends Error {
  override name = "NoAnswer";
  readonly code = "ETIMEDOUT";

  constructor(folder: string) {
    super(`${folder} does not answer; is its disk or share disconnected?`);
  }
}
