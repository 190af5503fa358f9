import { entryOf } from "./compare.ts";
import { Fault, missing } from "./error.ts";
import { fixed, floatText, numericOf, scaled, truncated } from "./number.ts";
import { represent, show } from "./print.ts";
import type { Run } from "./run.ts";
import { lengthOf, startOf } from "./text.ts";
import { Dict, Tuple, textOf, typeOf, Undefined, type Value } from "./value.ts";

const directive = /%(?:\(([^()]*)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d*))?[hlL]?([\s\S]|$)/g;

/** Implements Python's `text % values`: `%s`, `%d`, `%05.1f`, `%(key)s` and the rest. Throws `Fault` if values and text do not fit. */
export function formatPercent(run: Run, format: string, values: Value): string {
  run.room(format.length);
  const items = values instanceof Tuple ? values.items : [values];
  let next = 0;
  let length = format.length;
  let named = false;
  const result = format.replace(
    directive,
    (whole, key: string | undefined, flags: string, width = "0", precision: string | undefined, type: string) => {
      run.spend(1);
      if (whole === "%%") return "%";
      if (width === "*" || precision === "*") throw new Fault(whole, `${whole}: a width of * is not supported; write the number`);
      let value: Value | undefined;
      if (key !== undefined) {
        named = true;
        if (!(values instanceof Dict)) throw new Fault(whole, `${whole} needs values with names; give a dict, or name=value to format`);
        value = entryOf(values, key);
        if (value === undefined) throw new Fault(key, `${whole}: there is no value named ${key}; give one`);
      } else {
        value = items[next];
        next += 1;
        if (value === undefined) throw new Fault(whole, `${whole}: there are too few values; give one for each %`);
      }
      const text = one(run, whole, flags, Number(width), precision === undefined ? null : Number(precision), type, value);
      length += text.length;
      run.room(length);
      return text;
    },
  );
  if (!named && next < items.length && !(values instanceof Dict))
    throw new Fault("%", "there are more values than % in the text; leave some out");
  return result;
}

function one(run: Run, whole: string, flags: string, width: number, precision: number | null, type: string, value: Value): string {
  if (width > 10_000 || (precision ?? 0) > 400) throw new Fault(whole, `${whole} is too wide; use smaller numbers`);
  if ("sr".includes(type) && type !== "") {
    const text = type === "s" ? show(run, value) : represent(run, value);
    return pad(precision === null ? text : startOf(text, precision), width, flags.includes("-") ? "-" : " ");
  }
  if (value instanceof Undefined) throw missing(value);
  if (flags.includes("#")) throw new Fault(whole, `${whole}: the flag # is not supported; leave it out`);
  const body = numberText(whole, type, precision, value);
  const signed = body.startsWith("-") ? body : (flags.includes("+") ? "+" : flags.includes(" ") ? " " : "") + body;
  return pad(signed, width, flags.includes("-") ? "-" : flags.includes("0") && type !== "c" ? "0" : " ");
}

function numberText(whole: string, type: string, precision: number | null, value: Value): string {
  if (type === "c" && textOf(value) !== null && lengthOf(textOf(value) ?? "") === 1) return textOf(value) ?? "";
  const number = numericOf(value);
  if ("diuxXofFeEgGc".includes(type) && type !== "" && number === null) {
    throw new Fault(whole, `${whole} needs a number, not ${typeOf(value)}; add |int or |float, or use %s`);
  }
  const given = number ?? 0n;
  if (type !== "" && "diu".includes(type)) return digits(truncated(given), 10, precision);
  if (type !== "" && "xXo".includes(type) && typeof given === "bigint") {
    const text = digits(given, type === "o" ? 8 : 16, precision);
    return type === "X" ? text.toUpperCase() : text;
  }
  const float = Number(given);
  if (type === "f" || type === "F") return finite(float) ?? fixed(float, precision ?? 6);
  if (type === "e" || type === "E") return cased(type, finite(float) ?? scientific(float, precision ?? 6));
  if (type === "g" || type === "G") return cased(type, finite(float) ?? general(float, precision ?? 6));
  throw new Fault(whole, `${whole} is not a format that is known; use %s, %d, %f, %e, %g, %x, or %% for a percent sign`);
}

function finite(value: number): string | null {
  return Number.isFinite(value) ? null : floatText(value);
}

function cased(type: string, text: string): string {
  return type === type.toUpperCase() ? text.toUpperCase() : text;
}

function digits(value: bigint, base: number, precision: number | null): string {
  const text = (value < 0n ? -value : value).toString(base).padStart(precision ?? 1, "0");
  return value < 0n ? `-${text}` : text;
}

/** Prints digits after the point and an exponent, rounded exactly. */
function scientific(value: number, precision: number): string {
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (value === 0) return `${sign}${fixed(0, precision)}e+00`;
  const size = Math.abs(value);
  let exponent = Number(size.toExponential().split("e")[1]);
  let all = scaled(size, precision - exponent).toString();
  // Rounding up may add a digit.
  if (all.length > precision + 1) {
    exponent += 1;
    all = scaled(size, precision - exponent).toString();
  }
  const mantissa = precision === 0 ? all : `${all[0]}.${all.slice(1)}`;
  return `${sign}${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function general(value: number, precision: number): string {
  const wanted = Math.max(1, precision);
  const [mantissa = "", exponentText = "0"] = scientific(value, wanted - 1).split("e");
  const exponent = Number(exponentText);
  const trim = (text: string) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (exponent < -4 || exponent >= wanted) return `${trim(mantissa)}e${exponentText}`;
  return trim(fixed(value, wanted - 1 - exponent));
}

function pad(text: string, width: number, fill: "-" | "0" | " "): string {
  const lacking = width - lengthOf(text);
  if (lacking <= 0) return text;
  if (fill === "-") return text + " ".repeat(lacking);
  if (fill === " ") return " ".repeat(lacking) + text;
  const sign = /^[-+ ]/.exec(text)?.[0] ?? "";
  return sign + "0".repeat(lacking) + text.slice(sign.length);
}
