/** What a vector was recognised as. */
export interface Match {
  readonly entityId: string;
  /** Cosine of the angle between the two vectors. */
  readonly similarity: number;
}

/** What is looked for. */
export interface Wanted {
  /** Of length 1. */
  readonly vector: Float32Array;
  /** Time of the detection, in milliseconds since 1970; only what was seen within `ttlMs` of it counts. */
  readonly at: number;
  readonly ttlMs: number;
  /** Entities that it cannot be: they are on the same picture. */
  readonly except: ReadonlySet<string>;
}

/** What the vectors of one index take at most; the oldest make room. */
const mostBytes = 32 * 1024 * 1024;
const firstCapacity = 64;

/**
 * Vectors of length 1 and of one number of dimensions, in one block of memory, searched whole: the exact answer, and for
 * 10,000 vectors a matter of a millisecond or few.
 */
export class VectorIndex {
  readonly #dimensions: number;
  readonly #most: number;
  #vectors: Float32Array;
  #entityIds: string[] = [];
  #seenAt: Float64Array;
  #addedAt: Float64Array;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#most = Math.floor(mostBytes / 4 / dimensions);
    this.#vectors = new Float32Array(firstCapacity * dimensions);
    this.#seenAt = new Float64Array(firstCapacity);
    this.#addedAt = new Float64Array(firstCapacity);
  }

  get size(): number {
    return this.#entityIds.length;
  }

  /** Adds a vector. `addedAt` never goes back. */
  add(vector: Float32Array, of: { readonly entityId: string; readonly seenAt: number; readonly addedAt: number }): void {
    if (vector.length !== this.#dimensions) throw new RangeError(`a vector of ${vector.length} numbers among those of ${this.#dimensions}`);
    if (this.size >= this.#most) this.#keep((at) => at >= Math.ceil(this.#most / 10));
    if (this.size === this.#seenAt.length) this.#grow();
    const at = this.size;
    this.#vectors.set(vector, at * this.#dimensions);
    this.#seenAt[at] = of.seenAt;
    this.#addedAt[at] = of.addedAt;
    this.#entityIds.push(of.entityId);
  }

  /** The most similar vector, or undefined when there is none to compare with. */
  nearest({ vector, at, ttlMs, except }: Wanted): Match | undefined {
    let best = Number.NEGATIVE_INFINITY;
    let found = -1;
    for (let row = 0; row < this.size; row += 1) {
      if (Math.abs((this.#seenAt[row] as number) - at) > ttlMs) continue;
      const similarity = product(this.#vectors, row * this.#dimensions, vector);
      if (similarity <= best || except.has(this.#entityIds[row] as string)) continue;
      best = similarity;
      found = row;
    }
    const entityId = this.#entityIds[found];
    return entityId === undefined ? undefined : { entityId, similarity: best };
  }

  /** Leaves out what was added before this time. */
  dropBefore(time: number): void {
    if (this.size > 0 && (this.#addedAt[0] as number) < time) this.#keep((at) => (this.#addedAt[at] as number) >= time);
  }

  /** Leaves out an entity that does not exist any more. */
  forget(entityId: string): void {
    this.#keep((at) => this.#entityIds[at] !== entityId);
  }

  #keep(stays: (at: number) => boolean): void {
    const kept: string[] = [];
    for (let at = 0; at < this.size; at += 1) {
      if (!stays(at)) continue;
      const to = kept.length;
      this.#vectors.copyWithin(to * this.#dimensions, at * this.#dimensions, (at + 1) * this.#dimensions);
      this.#seenAt[to] = this.#seenAt[at] as number;
      this.#addedAt[to] = this.#addedAt[at] as number;
      kept.push(this.#entityIds[at] as string);
    }
    this.#entityIds = kept;
  }

  #grow(): void {
    const capacity = Math.min(this.#most, this.#seenAt.length * 2);
    const vectors = new Float32Array(capacity * this.#dimensions);
    const seenAt = new Float64Array(capacity);
    const addedAt = new Float64Array(capacity);
    vectors.set(this.#vectors);
    seenAt.set(this.#seenAt);
    addedAt.set(this.#addedAt);
    this.#vectors = vectors;
    this.#seenAt = seenAt;
    this.#addedAt = addedAt;
  }
}

/** The cosine of two vectors of length 1. Four sums at a time do not wait for each other. */
export function product(vectors: Float32Array, from: number, vector: Float32Array): number {
  const whole = vector.length - (vector.length % 4);
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let at = 0; at < whole; at += 4) {
    a += (vectors[from + at] as number) * (vector[at] as number);
    b += (vectors[from + at + 1] as number) * (vector[at + 1] as number);
    c += (vectors[from + at + 2] as number) * (vector[at + 2] as number);
    d += (vectors[from + at + 3] as number) * (vector[at + 3] as number);
  }
  for (let at = whole; at < vector.length; at += 1) a += (vectors[from + at] as number) * (vector[at] as number);
  return a + b + c + d;
}
