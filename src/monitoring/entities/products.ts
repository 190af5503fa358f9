/*
 * Multiplies vectors four numbers at a time, which plain JavaScript cannot do: a WebAssembly module of one loop, assembled here because
 * this is shorter than a build step for it. Section and instruction codes are those of the WebAssembly Core Specification 2.0.
 */

/** The parts of WebAssembly used here; our libraries have no types for it. */
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    readonly Memory: new (limits: { readonly initial: number }) => Memory;
    readonly Module: new (bytes: Uint8Array) => object;
    readonly Instance: new (module: object, imports: object) => { readonly exports: { readonly products: Products } };
  };
};

/** Memory for vectors; `grow` takes pages and detaches the previous buffer. */
export interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** Bytes in a page of memory. */
export const pageBytes = 65_536;

/** Vectors are padded to a multiple of this many numbers. */
export const step = 8;

/**
 * Writes the products of a vector with the vectors from `rows` (inclusive) to `end` (exclusive) to `out`, in single precision. All are
 * byte addresses; a vector takes `rowBytes`, a multiple of 32.
 */
export type Products = (vector: number, rowBytes: number, rows: number, end: number, out: number) => void;

/** Creates memory of one page, and the product function for it. */
export function openProducts(): { readonly memory: Memory; readonly products: Products } {
  const memory = new WebAssembly.Memory({ initial: 1 });
  compiled ??= new WebAssembly.Module(moduleBytes());
  return { memory, products: new WebAssembly.Instance(compiled, { m: { m: memory } }).exports.products };
}

let compiled: object | undefined;

/** Encodes an unsigned number for WebAssembly. */
const leb = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...leb(value >>> 7)]);
const section = (id: number, content: readonly number[]): number[] => [id, ...leb(content.length), ...content];
const text = (word: string): number[] => [word.length, ...Buffer.from(word)];

function moduleBytes(): Uint8Array {
  const [i32, v128, none] = [0x7f, 0x7b, 0x40];
  const [vector, rowBytes, row, end, out, at, rowEnd, one, two] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const get = (local: number): number[] => [0x20, local];
  const set = (local: number): number[] => [0x21, local];
  const add = (local: number, value: number): number[] => [...get(local), 0x41, value, 0x6a, ...set(local)];
  const load = (local: number, offset: number): number[] => [...get(local), 0xfd, 0x00, 0x02, offset];
  const [f32x4Add, f32x4Mul] = [
    [0xfd, 0xe4, 0x01],
    [0xfd, 0xe6, 0x01],
  ] as const;
  /** sum += vector[at] * row[row], four numbers starting at `offset` */
  const multiply = (sum: number, offset: number): number[] => [
    ...[...get(sum), ...load(at, offset), ...load(row, offset), ...f32x4Mul, ...f32x4Add, ...set(sum)],
  ];
  const lane = (number: number): number[] => [...get(one), 0xfd, 0x1f, number];
  const repeat = (body: readonly number[], below: number): number[] => [
    // while row < below
    ...[0x03, none, ...body, ...get(row), ...get(below), 0x49, 0x0d, 0x00, 0x0b],
  ];
  const zero = [0xfd, 0x0c, ...Array<number>(16).fill(0)];
  const numbers = repeat([...multiply(one, 0), ...multiply(two, 16), ...add(at, 32), ...add(row, 32)], rowEnd);
  const sum = [...get(one), ...get(two), ...f32x4Add, ...set(one), ...lane(0), ...lane(1), 0x92, ...lane(2), 0x92, ...lane(3), 0x92];
  const rows = repeat(
    [
      ...[...get(row), ...get(rowBytes), 0x6a, ...set(rowEnd), ...get(vector), ...set(at), ...zero, ...set(one), ...zero, ...set(two)],
      ...[...numbers, ...get(out), ...sum, 0x38, 0x02, 0x00, ...add(out, 4)],
    ],
    end,
  );
  const body = [2, 2, i32, 2, v128, ...rows, 0x0b];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    // type 0: five addresses, no result
    ...section(1, [1, 0x60, 5, i32, i32, i32, i32, i32, 0]),
    // the memory m.m, one page at least
    ...section(2, [1, ...text("m"), ...text("m"), 0x02, 0x00, 0x01]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...text("products"), 0x00, 0]),
    ...section(10, [1, ...leb(body.length), ...body]),
  ]);
}
