const longestText = 1_048_576;

/** A source of bytes that is read in pieces, so that a file of hundreds of megabytes takes little memory. */
export interface ByteSource {
  readonly length: number;
  /** Throws `Malformed` if the piece is not inside the source. */
  read(offset: number, length: number): Uint8Array;
}

/** A field of a protobuf message. A nested message or text is between `start` and `end` of the source. */
export interface Field {
  readonly number: number;
  /** Value of a whole-number field; 0 for other fields. */
  readonly value: bigint;
  readonly start: number;
  readonly end: number;
}

/** The bytes are not a protobuf message. */
export class Malformed extends Error {
  override name = "Malformed";
}

const longestVarint = 10;

/** Yields the fields of the message between `start` and `end`, without nested ones. Throws `Malformed`. */
export function* fieldsOf(source: ByteSource, start: number, end: number): Generator<Field> {
  let at = start;
  while (at < end) {
    const key = varint(source, at, end);
    const number = Number(key.value >> 3n);
    const wireType = Number(key.value & 7n);
    if (number === 0) throw new Malformed(`a field without a number at byte ${at}`);
    if (wireType === 0) {
      const content = varint(source, key.end, end);
      yield { number, value: content.value, start: key.end, end: content.end };
      at = content.end;
      continue;
    }
    const content = wireType === 2 ? varint(source, key.end, end) : { value: fixedSize(wireType, at), end: key.end };
    at = content.end + Number(content.value);
    if (at > end) throw new Malformed(`a field at byte ${content.end} ends behind the end`);
    yield { number, value: 0n, start: content.end, end: at };
  }
}

/** Returns the text of a field. Throws `Malformed` if it is longer than one mebibyte. */
export function textOf(source: ByteSource, { start, end }: Field): string {
  if (end - start > longestText) throw new Malformed(`a text of ${end - start} bytes`);
  return Buffer.from(source.read(start, end - start)).toString("utf8");
}

function fixedSize(wireType: number, at: number): bigint {
  if (wireType === 1) return 8n;
  if (wireType === 5) return 4n;
  throw new Malformed(`a field of an unknown kind at byte ${at}`);
}

function varint(source: ByteSource, at: number, limit: number): { readonly value: bigint; readonly end: number } {
  const bytes = source.read(at, Math.min(longestVarint, limit - at));
  let value = 0n;
  for (const [index, byte] of bytes.entries()) {
    value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), end: at + index + 1 };
  }
  throw new Malformed(`a number without an end at byte ${at}`);
}
