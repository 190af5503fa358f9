import { Fault } from "./error.ts";
import type { Value } from "./value.ts";

export type Numeric = bigint | number;

const largest = 2n ** 1024n;

/** Returns a number or boolean as a number, as Python counts booleans; null for other values. */
export function numericOf(value: Value): Numeric | null {
  if (typeof value === "bigint" || typeof value === "number") return value;
  return typeof value === "boolean" ? (value ? 1n : 0n) : null;
}

/** Checks the size of an integer. Throws `Fault` for more than 1,024 bits. */
export function bounded(value: bigint): bigint {
  if (value >= largest || value <= -largest)
    throw new Fault("number", "an integer has more than 300 digits; calculate with smaller numbers");
  return value;
}

/** Prints a float as Python does: always with a point or an exponent. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const [digits = "", exponentText = "0"] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (value !== 0 && (exponent < -4 || exponent >= 16)) {
    return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  const text = String(value);
  return text.includes(".") ? text : `${text}.0`;
}

/** Returns a float as an exact fraction. */
function exact(value: number): { readonly over: bigint; readonly under: bigint } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = (exponent === 0 ? fraction : fraction | 0x10000000000000n) * (bits >> 63n === 1n ? -1n : 1n);
  const power = (exponent === 0 ? 1 : exponent) - 1075;
  return power >= 0 ? { over: mantissa << BigInt(power), under: 1n } : { over: mantissa, under: 1n << BigInt(-power) };
}

/** Rounds a fraction to an integer, half to even. */
function divideRounded(over: bigint, under: bigint): bigint {
  const negative = over < 0n;
  const size = negative ? -over : over;
  let quotient = size / under;
  const twice = (size % under) * 2n;
  if (twice > under || (twice === under && quotient % 2n === 1n)) quotient += 1n;
  return negative ? -quotient : quotient;
}

/** Returns `value * 10 ** digits`, rounded exactly to an integer, half to even. */
export function scaled(value: Numeric, digits: number): bigint {
  const { over, under } = typeof value === "bigint" ? { over: value, under: 1n } : exact(value);
  return digits >= 0 ? divideRounded(over * 10n ** BigInt(digits), under) : divideRounded(over, under * 10n ** BigInt(-digits));
}

/** Implements Python's `round(value, digits)`: an int stays an int. Throws `Fault` for infinity and "not a number". */
export function rounded(value: Numeric, digits: number): Numeric {
  if (typeof value === "bigint") return digits >= 0 ? value : digits < -400 ? 0n : scaled(value, digits) * 10n ** BigInt(-digits);
  if (!Number.isFinite(value) || digits > 330) return value;
  const result = digits < -330 ? 0 : Number(`${scaled(value, digits)}e${-digits}`);
  return result === 0 && (value < 0 || Object.is(value, -0)) ? -0 : result;
}

/** Prints a float with a fixed number of decimals, rounded as in Python. */
export function fixed(value: number, digits: number): string {
  if (!Number.isFinite(value)) return floatText(value);
  const all = scaled(Math.abs(value), digits)
    .toString()
    .padStart(digits + 1, "0");
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  return digits === 0 ? sign + all : `${sign}${all.slice(0, -digits)}.${all.slice(-digits)}`;
}

/** Truncates a float to an integer. Throws `Fault` for infinity and "not a number". */
export function truncated(value: Numeric): bigint {
  if (typeof value === "bigint") return value;
  if (!Number.isFinite(value)) throw new Fault(floatText(value), `${floatText(value)} cannot become an integer; test the number first`);
  return BigInt(Math.trunc(value));
}

/** Compares two numbers exactly, also int with float; NaN if either is not a number. */
export function compareNumbers(left: Numeric, right: Numeric): number {
  if (left < right) return -1;
  if (left > right) return 1;
  return Number.isNaN(left) || Number.isNaN(right) ? Number.NaN : 0;
}

/** Computes `int / int`, rounded once as in Python. */
export function trueQuotient(over: bigint, under: bigint): number {
  if (Number.isSafeInteger(Number(over)) && Number.isSafeInteger(Number(under))) return Number(over) / Number(under);
  const negative = over < 0n !== under < 0n;
  const [size, divisor] = [over < 0n ? -over : over, under < 0n ? -under : under];
  const shift = BigInt(Math.max(0, 66 + divisor.toString(2).length - size.toString(2).length));
  const quotient = (size << shift) / divisor;
  const sticky = (size << shift) % divisor === 0n ? 0n : 1n;
  const result = Number((quotient << 1n) | sticky) / 2 ** (Number(shift) + 1);
  return negative ? -result : result;
}
