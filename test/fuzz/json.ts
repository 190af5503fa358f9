import fc from "fast-check";

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Values that no field expects, and values at the limits of numbers and texts. */
const odd: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    ...[null, true, false, 0, -1, 1.5, 1e308, -1e308, 5e-324, 2 ** 53, -(2 ** 53), 4_294_967_296, 2_147_483_648],
    ...["", " ", "0", "NaN", "null", "\0", "a\0b", "\ud800", "\udfff", "\u202e", "😀", "x".repeat(5_000), "漢".repeat(3_000), "1e999"],
    ...["0000-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00", "+275760-09-13T00:00:00Z", "0001-01-01T00:00:00Z", "infinity"],
    ...[[], {}, [[]], [null], { "": "" }],
  ),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.double(),
  fc.jsonValue({ maxDepth: 3 }).map((value) => value as Json),
);

type Change = {
  readonly at: number;
  readonly how: "replace" | "remove" | "twice" | "add" | "deep";
  readonly value: Json;
  readonly name: string;
};

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat({ max: 10_000 }),
  how: fc.constantFrom("replace", "replace", "replace", "remove", "twice", "add", "deep"),
  value: odd,
  name: fc.oneof(
    fc.constantFrom("__proto__", "constructor", "toString", "", "\0", "\ud800", "x".repeat(3_000)),
    fc.string({ maxLength: 20 }),
  ),
});

/** JSON texts of these values with up to five changes anywhere inside. */
export function mutatedJson(bases: readonly unknown[]): fc.Arbitrary<string> {
  return fc
    .record({ base: fc.constantFrom(...bases), changes: fc.array(change, { minLength: 1, maxLength: 5 }) })
    .map(({ base, changes }) => changes.reduce((value, one) => applied(value, one), structuredClone(base) as Json))
    .map(textOf);
}

/** Any JSON, and many texts that are almost JSON. */
export const anyJsonText: fc.Arbitrary<string> = fc.oneof(
  odd.map(textOf),
  fc.json({ maxDepth: 4 }),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.constantFrom(
    "",
    "{",
    "[",
    '{"a":1,"a":2}',
    "[".repeat(50_000),
    '{"a":'.repeat(10_000),
    "NaN",
    "[NaN]",
    '{"a":1e999}',
    "\u0000",
    "\ufeff{}",
  ),
);

/** `JSON.stringify` keeps fields named `__proto__`, but writes no infinity. Parsing 1e999 gives one. */
function textOf(value: Json): string {
  return JSON.stringify(value).replaceAll('"1e999"', "1e999");
}

interface Place {
  readonly holder: { [name: string]: Json } | Json[];
  readonly key: string;
}

function placesIn(value: Json, places: Place[] = []): Place[] {
  if (typeof value !== "object" || value === null) return places;
  for (const key of Object.keys(value)) {
    places.push({ holder: value as { [name: string]: Json }, key });
    placesIn((value as { [name: string]: Json })[key] as Json, places);
  }
  return places;
}

function applied(value: Json, { at, how, value: given, name }: Change): Json {
  // a copy: the same value in two changes could become part of itself
  const other = structuredClone(given);
  const places = placesIn(value);
  const place = places[at % (places.length + 1)];
  if (!place) return how === "replace" ? other : value;
  const holder = place.holder as { [name: string]: Json };
  const before = holder[place.key] as Json;
  const set = (key: string, to: Json): void => {
    Object.defineProperty(holder, key, { value: to, enumerable: true, configurable: true, writable: true });
  };
  switch (how) {
    case "replace":
      set(place.key, other);
      break;
    case "remove":
      if (Array.isArray(holder)) (holder as Json[]).splice(Number(place.key), 1);
      else delete holder[place.key];
      break;
    case "twice":
      if (Array.isArray(holder)) (holder as Json[]).push(structuredClone(before));
      else set(`${place.key}_`, before);
      break;
    case "add":
      if (Array.isArray(holder)) (holder as Json[]).push(other);
      else set(name, other);
      break;
    case "deep":
      set(place.key, JSON.parse(`${"[".repeat(500)}${JSON.stringify(before) ?? "null"}${"]".repeat(500)}`) as Json);
      break;
  }
  return value;
}
