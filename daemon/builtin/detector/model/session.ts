/** One output of a model. */
export interface Output {
  readonly dims: readonly number[];
  readonly data: Float32Array;
}

/** A loaded model. */
export interface Session {
  /** Name and version of the library that runs it. */
  readonly runtime: string;
  /** Runs the model on `input`, [1, 3, height, width]. Returns the outputs in the requested order. The caller owns them. */
  run(input: Float32Array, outputs: readonly string[]): Promise<readonly Output[]>;
}
