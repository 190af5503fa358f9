const mib = 1024 * 1024;
/** Largest body of the alert receiver, with some room for the beginning of the message. */
const room = 8 * mib - 1_000;

const placeholder = "PPPPPPPP";

/** Repeats an item until the list has this many bytes. */
function listOf(item: (number: number) => string, bytes: number): string {
  const items: string[] = [];
  for (let length = 0; length < bytes; ) {
    const text = item(items.length);
    length += text.length + 1;
    if (length < bytes) items.push(text);
  }
  return `[${items.join(",")}]`;
}

function message(alerts: string): string {
  const shared = '"groupLabels":{},"commonLabels":{},"commonAnnotations":{},"externalURL":"http://alertmanager.example"';
  return `{"version":"4","groupKey":"{}","status":"firing","receiver":"homesec",${shared},"alerts":${alerts}}`;
}

const description = "The disk is nearly full. ".repeat(5);
let valid: string | undefined;

/** Returns a message of 8 MB with 25,000 valid alerts that homesec has never seen. */
export function manyAlerts(): string {
  valid ??= message(
    listOf(
      (n) =>
        `{"status":"firing","labels":{"alertname":"Flood","severity":"critical","n":"${n}"},"annotations":{"summary":"Flood ${n}",` +
        `"description":"${description}"},"startsAt":"2026-11-21T05:00:13.790Z","fingerprint":"${n}-${placeholder}"}`,
      room,
    ),
  );
  return valid.replaceAll(placeholder, Math.random().toString(36).slice(2, 10).padEnd(8, "0"));
}

let wrongFields: string | undefined;
let empty: string | undefined;

/** Returns messages of 8 MB: with 590,000 wrong values, and with as many empty objects as fit. */
export function faultyMessages(): readonly string[] {
  wrongFields ??= message(
    listOf((n) => `{"status":1,"labels":{"a":1,"b":[]},"annotations":{"c":${n},"d":2},"x":"${"y".repeat(70)}"}`, room),
  );
  empty ??= message(listOf(() => "{}", room));
  return [wrongFields, empty];
}

/** Returns bodies of a little under 1 MiB for a rule: half a million wrong values, unknown fields, and one deep value. */
export const faultyRules: readonly string[] = [
  `{"name":"A","camera_ids":${listOf(() => "1", mib - 100)}}`,
  `{"name":"A",${listOf((n) => `"x${n}":1`, mib - 100).slice(1, -1)}}`,
  `{"name":"A","object_types":${"[".repeat(mib / 2 - 100)}${"]".repeat(mib / 2 - 100)}}`,
];
