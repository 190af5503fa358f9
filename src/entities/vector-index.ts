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
  /** What is less similar is nobody that was seen before. */
  readonly atLeast: number;
  /** Entities that it cannot be: they are on the same picture. */
  readonly except: ReadonlySet<string>;
}

/** What the vectors of one index take at most; the oldest make room. */
const mostBytes = 32 * 1024 * 1024;
const firstCapacity = 64;
/** After so many numbers of a vector it is asked whether the rest can still matter. */
const partLength = 64;
/** More than all rounding of sums of products below 1. */
const rounding = 1e-9;

/**
 * Vectors of length 1 and of one number of dimensions, in one block of memory. The answer is the exact one. A vector is left as soon as it
 * cannot become the best any more: what its remaining numbers add is at most the length of that rest times the length of the rest
 * of what is looked for (Cauchy and Schwarz). The newest come first, since who was here a moment ago is the likeliest to be best.
 */
export class VectorIndex {
  readonly #dimensions: number;
  readonly #most: number;
  readonly #parts: number;
  #vectors: Float32Array;
  /** Of each vector the lengths of what is left of it after each part. */
  #rests: Float64Array;
  #entityIds: string[] = [];
  #seenAt: Float64Array;
  #addedAt: Float64Array;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#most = Math.floor(mostBytes / 4 / dimensions);
    this.#parts = Math.ceil(dimensions / partLength);
    this.#vectors = new Float32Array(firstCapacity * dimensions);
    this.#rests = new Float64Array(firstCapacity * this.#parts);
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
    this.#rests.set(restsOf(vector, this.#parts), at * this.#parts);
    this.#seenAt[at] = of.seenAt;
    this.#addedAt[at] = of.addedAt;
    this.#entityIds.push(of.entityId);
  }

  /** The most similar vector, the oldest of several; undefined when none is similar enough. */
  nearest({ vector, at, ttlMs, atLeast, except }: Wanted): Match | undefined {
    const rests = restsOf(vector, this.#parts);
    let best = atLeast;
    let found = -1;
    for (let row = this.size - 1; row >= 0; row -= 1) {
      if (Math.abs((this.#seenAt[row] as number) - at) > ttlMs) continue;
      const similarity = this.#similarity(row, vector, rests, best);
      if (similarity < best || except.has(this.#entityIds[row] as string)) continue;
      best = similarity;
      found = row;
    }
    const entityId = this.#entityIds[found];
    return entityId === undefined ? undefined : { entityId, similarity: best };
  }

  /** The cosine with a vector of the index, or less than `best` as soon as it is certain to be less. */
  #similarity(row: number, vector: Float32Array, rests: Float64Array, best: number): number {
    const from = row * this.#dimensions;
    let sum = 0;
    for (let part = 0; part < this.#parts; part += 1) {
      const at = part * partLength;
      sum += partialProduct(this.#vectors, from + at, vector, at, Math.min(at + partLength, this.#dimensions));
      const most = sum + (this.#rests[row * this.#parts + part] as number) * (rests[part] as number);
      if (most < best - rounding) return Number.NEGATIVE_INFINITY;
    }
    return sum;
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
      this.#rests.copyWithin(to * this.#parts, at * this.#parts, (at + 1) * this.#parts);
      this.#seenAt[to] = this.#seenAt[at] as number;
      this.#addedAt[to] = this.#addedAt[at] as number;
      kept.push(this.#entityIds[at] as string);
    }
    this.#entityIds = kept;
  }

  #grow(): void {
    const capacity = Math.min(this.#most, this.#seenAt.length * 2);
    const vectors = new Float32Array(capacity * this.#dimensions);
    const rests = new Float64Array(capacity * this.#parts);
    const seenAt = new Float64Array(capacity);
    const addedAt = new Float64Array(capacity);
    vectors.set(this.#vectors);
    rests.set(this.#rests);
    seenAt.set(this.#seenAt);
    addedAt.set(this.#addedAt);
    this.#vectors = vectors;
    this.#rests = rests;
    this.#seenAt = seenAt;
    this.#addedAt = addedAt;
  }
}

/** The cosine of two vectors of length 1, of which the first begins somewhere in a block. */
export function product(vectors: Float32Array, from: number, vector: Float32Array): number {
  return partialProduct(vectors, from, vector, 0, vector.length);
}

/** The sum of the products from `start` to `end` of a vector with what begins at `from`. Four sums at a time do not wait for each other. */
function partialProduct(vectors: Float32Array, from: number, vector: Float32Array, start: number, end: number): number {
  const shift = from - start;
  const whole = end - ((end - start) % 4);
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let at = start; at < whole; at += 4) {
    a += (vectors[shift + at] as number) * (vector[at] as number);
    b += (vectors[shift + at + 1] as number) * (vector[at + 1] as number);
    c += (vectors[shift + at + 2] as number) * (vector[at + 2] as number);
    d += (vectors[shift + at + 3] as number) * (vector[at + 3] as number);
  }
  for (let at = whole; at < end; at += 1) a += (vectors[shift + at] as number) * (vector[at] as number);
  return a + b + c + d;
}

/** The lengths of what is left of a vector after each of its parts. */
function restsOf(vector: Float32Array, parts: number): Float64Array {
  const rests = new Float64Array(parts);
  let squares = 0;
  for (let part = parts - 1; part > 0; part -= 1) {
    const end = Math.min((part + 1) * partLength, vector.length);
    for (let at = part * partLength; at < end; at += 1) squares += (vector[at] as number) ** 2;
    rests[part - 1] = Math.sqrt(squares);
  }
  return rests;
}
