import { type Memory, openProducts, type Products, pageBytes, step } from "./products.ts";

/** The match of a vector. */
export interface Match {
  readonly entityId: string;
  /** Cosine of the angle between the two vectors. */
  readonly similarity: number;
}

/** A query. */
export interface NearestQuery {
  /** Of length 1. */
  readonly vector: Float32Array;
  /** Time of the detection, in milliseconds since 1970; only vectors within `ttlMs` of it count. */
  readonly at: number;
  readonly ttlMs: number;
  /** Minimum similarity. */
  readonly atLeast: number;
  /** Entities to exclude, since they are in the same picture. */
  readonly except: ReadonlySet<string>;
}

/** Maximum memory of one index; the oldest vectors are dropped. */
const mostBytes = 32 * 1024 * 1024;
const firstCapacity = 64;
/** Number of vectors compared at a time. */
const blockRows = 1_024;

/**
 * Vectors of length 1 with the same number of dimensions, in one block of memory, searched completely. All are compared in single
 * precision, and candidates for the best match again in double precision: the result is exact.
 */
export class VectorIndex {
  readonly #dimensions: number;
  readonly #most: number;
  readonly #rowBytes: number;
  /** Upper bound of the rounding error of a product in single precision. */
  readonly #rounding: number;
  /** Layout: the query, the products of a block, the vectors. */
  readonly #memory: Memory;
  readonly #products: Products;
  readonly #outAt: number;
  readonly #rowsAt: number;
  #entityIds: string[] = [];
  #seenAt: Float64Array;
  #addedAt: Float64Array;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    const numbers = Math.ceil(dimensions / step) * step;
    this.#rowBytes = numbers * 4;
    this.#most = Math.floor(mostBytes / this.#rowBytes);
    this.#rounding = (numbers / step + 8) * 2 ** -22;
    const { memory, products } = openProducts();
    this.#memory = memory;
    this.#products = products;
    this.#outAt = this.#rowBytes;
    this.#rowsAt = this.#outAt + blockRows * 4;
    this.#seenAt = new Float64Array(firstCapacity);
    this.#addedAt = new Float64Array(firstCapacity);
    this.#makeRoom(firstCapacity);
  }

  get size(): number {
    return this.#entityIds.length;
  }

  /** Adds a vector. `addedAt` never decreases. */
  add(vector: Float32Array, of: { readonly entityId: string; readonly seenAt: number; readonly addedAt: number }): void {
    if (vector.length !== this.#dimensions) throw new RangeError(`a vector of ${vector.length} numbers among those of ${this.#dimensions}`);
    if (this.size >= this.#most) this.#keep((at) => at >= Math.ceil(this.#most / 10));
    if (this.size === this.#seenAt.length) this.#grow();
    const at = this.size;
    this.#row(at).set(vector);
    this.#seenAt[at] = of.seenAt;
    this.#addedAt[at] = of.addedAt;
    this.#entityIds.push(of.entityId);
  }

  /** Returns the most similar vector, the oldest of equals; undefined if none is similar enough. */
  nearest({ vector, at, ttlMs, atLeast, except }: NearestQuery): Match | undefined {
    new Float32Array(this.#memory.buffer, 0, this.#dimensions).set(vector);
    const products = new Float32Array(this.#memory.buffer, this.#outAt, blockRows);
    let best = atLeast;
    let found = -1;
    for (let block = 0; block < this.size; block += blockRows) {
      const end = Math.min(block + blockRows, this.size);
      this.#products(0, this.#rowBytes, this.#addressOf(block), this.#addressOf(end), this.#outAt);
      for (let row = block; row < end; row += 1) {
        if ((products[row - block] as number) < best - this.#rounding) continue;
        if (Math.abs((this.#seenAt[row] as number) - at) > ttlMs || except.has(this.#entityIds[row] as string)) continue;
        const similarity = product(this.#row(row), vector);
        if (found < 0 ? similarity < best : similarity <= best) continue;
        best = similarity;
        found = row;
      }
    }
    const entityId = this.#entityIds[found];
    return entityId === undefined ? undefined : { entityId, similarity: best };
  }

  /** Drops vectors added before this time. */
  dropBefore(time: number): void {
    if (this.size > 0 && (this.#addedAt[0] as number) < time) this.#keep((at) => (this.#addedAt[at] as number) >= time);
  }

  /** Drops an entity that no longer exists. */
  forget(entityId: string): void {
    this.#keep((at) => this.#entityIds[at] !== entityId);
  }

  #keep(stays: (at: number) => boolean): void {
    const remaining: string[] = [];
    for (let at = 0; at < this.size; at += 1) {
      if (!stays(at)) continue;
      const to = remaining.length;
      if (to < at) this.#row(to).set(this.#row(at));
      this.#seenAt[to] = this.#seenAt[at] as number;
      this.#addedAt[to] = this.#addedAt[at] as number;
      remaining.push(this.#entityIds[at] as string);
    }
    this.#entityIds = remaining;
  }

  #grow(): void {
    const capacity = Math.min(this.#most, this.#seenAt.length * 2);
    const seenAt = new Float64Array(capacity);
    const addedAt = new Float64Array(capacity);
    seenAt.set(this.#seenAt);
    addedAt.set(this.#addedAt);
    this.#seenAt = seenAt;
    this.#addedAt = addedAt;
    this.#makeRoom(capacity);
  }

  #makeRoom(rows: number): void {
    const missing = this.#addressOf(rows) - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / pageBytes));
  }

  #addressOf(row: number): number {
    return this.#rowsAt + row * this.#rowBytes;
  }

  /** The numbers of a vector, valid until the memory grows. */
  #row(row: number): Float32Array {
    return new Float32Array(this.#memory.buffer, this.#addressOf(row), this.#dimensions);
  }
}

/** The cosine of two vectors of length 1. */
export function product(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < other.length; at += 1) sum += (one[at] as number) * (other[at] as number);
  return sum;
}
