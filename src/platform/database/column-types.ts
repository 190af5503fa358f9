/**
 * Converts array columns. postgres.js can query the array types when it connects, but that query raises an unhandled rejection if the
 * connection fails meanwhile. The built-in types never change, so they are listed here.
 */

/** The array types of PostgreSQL's built-in types: [element oid, array oid]. */
export const arrayTypes: readonly (readonly [number, number])[] = [
  [16, 1000], // boolean
  [17, 1001], // bytea
  [20, 1016], // bigint
  [21, 1005], // smallint
  [23, 1007], // integer
  [25, 1009], // text
  [114, 199], // json
  [700, 1021], // real
  [701, 1022], // double precision
  [1043, 1015], // varchar
  [1082, 1182], // date
  [1114, 1115], // timestamp
  [1184, 1185], // timestamptz
  [1700, 1231], // numeric
  [2950, 2951], // uuid
  [3802, 3807], // jsonb
];

type Parse = (text: string) => unknown;
type Serialize = (value: unknown) => unknown;

/** Parses `{1,NULL,"a \"b\""}` and nested arrays. */
export function parseArray(text: string, parse: Parse = (item) => item): unknown[] {
  let at = 0;
  const list = (): unknown[] => {
    const items: unknown[] = [];
    at += 1;
    while (text[at] !== "}") {
      if (text[at] === "{") items.push(list());
      else if (text[at] === '"') items.push(parse(quoted()));
      else items.push(bare());
      if (text[at] === ",") at += 1;
    }
    at += 1;
    return items;
  };
  const quoted = (): string => {
    let item = "";
    at += 1;
    while (text[at] !== '"') {
      if (text[at] === "\\") at += 1;
      item += text[at];
      at += 1;
    }
    at += 1;
    return item;
  };
  const bare = (): unknown => {
    const start = at;
    while (text[at] !== "," && text[at] !== "}") at += 1;
    const item = text.slice(start, at);
    return item === "NULL" ? null : parse(item);
  };
  // A lower bound other than 1 comes first: [0:2]={...}
  at = text.indexOf("{");
  return list();
}

/** Writes an array in PostgreSQL's syntax; `null` stays null, everything else is quoted. */
export function serializeArray(value: unknown, serialize: Serialize = (item) => item): string {
  if (!Array.isArray(value)) return String(value);
  const items = value.map((item: unknown) => {
    if (item === null) return "null";
    if (item === undefined) throw new TypeError("An array for the database contains undefined");
    if (Array.isArray(item)) return serializeArray(item, serialize);
    return `"${String(serialize(item)).replace(/["\\]/g, "\\$&")}"`;
  });
  return `{${items.join(",")}}`;
}
