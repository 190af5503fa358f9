/** Why no picture came, for a person: what happened, and what to do. Contains no password. */
export class PullFault extends Error {
  override name = "PullFault";
}
