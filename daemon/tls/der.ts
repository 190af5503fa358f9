/** The types of DER (X.690) that a certificate needs. */

/** Encodes a value with its tag and length. */
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
/** A bit string of whole bytes. */
export const bitString = (content: Uint8Array): Buffer => tagged(0x03, Buffer.from([0]), content);
/** Tag of a context-specific member, `[number]`, with nested values or with plain content. */
export const contextTag = (number: number, content: "values" | "content"): number => (content === "values" ? 0xa0 : 0x80) | number;

/** A non-negative whole number from its bytes, most significant byte first. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const short = first === -1 ? Buffer.from([0]) : bytes.subarray(first);
  // Without a leading zero byte, a set first bit would make the number negative.
  return tagged(0x02, (short[0] ?? 0) & 0x80 ? Buffer.from([0]) : Buffer.alloc(0), short);
}

/** An object identifier such as `2.5.29.17`. */
export function identifier(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split(".").map(Number);
  return tagged(0x06, ...[first * 40 + second, ...others].map(base128));
}

/** A time in whole seconds. Certificates require a two-digit year until 2049. */
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
