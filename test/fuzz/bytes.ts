import fc from "fast-check";

/** Changed bytes and the changes made to them. A failure prints the changes. */
export interface Mutated {
  readonly base: string;
  readonly edits: readonly Edit[];
  readonly bytes: Buffer;
}

type Edit =
  | readonly ["flip", at: number, bit: number]
  | readonly ["write", at: number, hex: string]
  | readonly ["insert", at: number, hex: string]
  | readonly ["remove", at: number, length: number]
  | readonly ["repeat", at: number, length: number]
  | readonly ["end", at: number];

/** Numbers at the limits of lengths and counts, as files encode them. */
const interesting = ["00", "01", "7f", "80", "ff", "0000", "7fff", "ffff", "00000000", "00000001", "7fffffff", "80000000", "ffffffff"];
const large = ["ffffffffffffffff", "7fffffffffffffff", "0000000100000000", "00000000ffffffff"];

/** Most formats describe their content at the beginning, so changes there matter most. */
const position = fc.oneof(
  { weight: 3, arbitrary: fc.nat({ max: 96 }) },
  { weight: 1, arbitrary: fc.nat({ max: 2_000 }) },
  { weight: 2, arbitrary: fc.nat({ max: 10_000_000 }) },
);
const hex = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...interesting, ...large) },
  { weight: 2, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString("hex")) },
);
const length = fc.oneof(fc.integer({ min: 1, max: 16 }), fc.integer({ min: 1, max: 5_000 }));

const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant("flip" as const), position, fc.nat({ max: 7 })) },
  { weight: 6, arbitrary: fc.tuple(fc.constant("write" as const), position, hex) },
  { weight: 2, arbitrary: fc.tuple(fc.constant("insert" as const), position, hex) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("remove" as const), position, length) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("repeat" as const), position, length) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("end" as const), position) },
);

/** One of these files with up to six changes. */
export function mutated(bases: Readonly<Record<string, Buffer>>): fc.Arbitrary<Mutated> {
  return fc
    .record({ base: fc.constantFrom(...Object.keys(bases)), edits: fc.array(edit, { minLength: 1, maxLength: 6 }) })
    .map(({ base, edits }) => {
      const bytes = edits.reduce(changed, bases[base] as Buffer);
      // prints the changes, because the bytes would fill the screen
      return { base, edits, bytes, [fc.toStringMethod]: () => JSON.stringify({ base, edits }) };
    });
}

function changed(bytes: Buffer, how: Edit): Buffer {
  const at = how[1] % (bytes.length + 1);
  switch (how[0]) {
    case "flip": {
      const copy = Buffer.from(bytes);
      if (at < copy.length) copy[at] = (copy[at] as number) ^ (1 << how[2]);
      return copy;
    }
    case "write": {
      const copy = Buffer.from(bytes);
      Buffer.from(how[2], "hex").copy(copy, at);
      return copy;
    }
    case "insert":
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(how[2], "hex"), bytes.subarray(at)]);
    case "remove":
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + how[2])]);
    case "repeat":
      return Buffer.concat([bytes.subarray(0, at + how[2]), bytes.subarray(at)]);
    case "end":
      return bytes.subarray(0, at);
  }
}
