/** The few types of DER (X.690) that a certificate is made of. */

/** A value with its tag and length before it. */
export function tagged(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(content);
  if (bytes.length < 0x80) return Buffer.concat([Buffer.from([tag, bytes.length]), bytes]);
  const length = unsigned(bytes.length);
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, bytes]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => tagged(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => tagged(0x31, ...parts);
export const octetString = (content: Uint8Array): Buffer => tagged(0x04, content);
export const utf8String = (text: string): Buffer => tagged(0x0c, Buffer.from(text));
/** Of whole bytes. */
export const bitString = (content: Uint8Array): Buffer => tagged(0x03, Buffer.from([0]), content);
/** The tag of a member that is told by its place: `[number]`, with other values in it or with plain content. */
export const place = (number: number, holds: "values" | "content"): number => (holds === "values" ? 0xa0 : 0x80) | number;

/** A whole number that is not negative, from its bytes, most significant first. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const short = first === -1 ? Buffer.from([0]) : bytes.subarray(first);
  // a leading bit would make it negative
  return tagged(0x02, (short[0] ?? 0) & 0x80 ? Buffer.from([0]) : Buffer.alloc(0), short);
}

/** An object identifier as `2.5.29.17`. */
export function identifier(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split(".").map(Number);
  return tagged(0x06, ...[first * 40 + second, ...others].map(base128));
}

/** A time to the second: with two digits of the year until 2049, as certificates must have it. */
export function time(at: Date): Buffer {
  const digits = at.toISOString().replace(/[-:T]|\.\d+/g, "");
  return at.getUTCFullYear() < 2050 ? tagged(0x17, Buffer.from(digits.slice(2))) : tagged(0x18, Buffer.from(digits));
}

function unsigned(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from(bytes);
}

function base128(value: number): Buffer {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift(0x80 | (rest % 128));
  return Buffer.from(bytes);
}
