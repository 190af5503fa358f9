/** What a model answered on one of its outputs. */
export interface Output {
  readonly dims: readonly number[];
  readonly data: Float32Array;
}

/** A loaded model. */
export interface Session {
  /** Which program runs it, with its version. */
  readonly runtime: string;
  /** Runs it on `input`, [1, 3, height, width]. The answers, in the order asked for, are the caller's own. */
  run(input: Float32Array, outputs: readonly string[]): Promise<readonly Output[]>;
}
