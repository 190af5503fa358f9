import { mkdir, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createApp } from "../../daemon/http/app.ts";
import { type Listening, listen } from "../../daemon/http/listen.ts";
import { operations } from "../../src/all-operations.ts";
import { ErrorBody, ValidationErrorBody } from "../../src/contract/problem-bodies.ts";
import type { Route } from "../../src/contract/route.ts";
import { routes } from "../../src/contract/routes/index.ts";
import { keptLog } from "../daemon/http/support.ts";
import { randomFrom } from "../support/chance.ts";
import { openapiInFull } from "../support/openapi.ts";
import { type Desk, openDesk } from "../support/operations.ts";
import { quietRuntime } from "../support/runtime.ts";

/*
 * Requests derived from the routes. Each parameter and field gets valid values and values at its bounds, of another type, missing,
 * unknown, repeated or odd. No request may cause an internal error or an answer that openapi.json does not describe.
 */

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

let desk: Desk;
let served: Listening;
const log = keptLog();

beforeAll(async () => {
  desk = await openDesk();
  for (const name of ["front", "back"]) {
    const folder = join(desk.cameraRoot, name);
    await mkdir(folder);
    await writeFile(join(folder, "a.jpg"), "not really a picture");
    await desk.ask("createCamera", { body: { name, camera_id: name } });
  }
  await desk.db.query(
    (sql) => sql`
      insert into events (camera_id, started_at, ended_at, risk_score, risk_level, summary, analysis_status, object_types)
      select 'front', t, t, 70, 'high', 'someone', 'completed', '{person}'
      from generate_series(timestamptz '2026-01-01', '2026-01-03', '1 hour') t
    `,
  );
  await desk.db.query(
    (sql) => sql`
      insert into detections (camera_id, event_id, file_path, file_type, detected_at, object_type, confidence)
      select 'front', e.event_id, ${join(desk.cameraRoot, "front", "a.jpg")}, 'image/jpeg', e.started_at, 'person', 0.9
      from events e
    `,
  );
  const app = createApp({ operations, context: { ...desk.context, runtime: quietRuntime() }, log, allowedHosts: [], strictReplies: true });
  served = await listen({ app, host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  await served.close();
  await desk.close();
});

const odd = [
  "",
  " ",
  "null",
  "-1",
  "0",
  "1.5",
  "1e400",
  "99999999999999999999",
  "true",
  "a\0b",
  "ü🎥",
  "%",
  "..",
  "' or 1=1 --",
  "\u202e",
  "x".repeat(3_000),
];
const times = [
  "2026-01-01",
  "2026-01-01T00:00:00Z",
  "0000-01-01",
  "9999-12-31T23:59:59-14:00",
  "2026-02-30",
  "2026-01-01T00:00:00+99:00",
  "infinity",
];

/** Values for one parameter: those that its schema names, and unexpected ones. */
function textsFor(name: string, schema: z.ZodType): string[] {
  const {
    enum: words,
    items,
    minimum,
    maximum,
  } = z.toJSONSchema(schema, { io: "output", unrepresentable: "any" }) as Record<string, unknown>;
  const listed = [words, (items as Record<string, unknown> | undefined)?.["enum"]].find(Array.isArray) ?? [];
  const bounds = [minimum, maximum].filter((bound) => typeof bound === "number").flatMap((bound) => [bound - 1, bound, bound + 1]);
  return [
    ...listed,
    ...listed.map((word: string) => word.toUpperCase()),
    ...bounds.map(String),
    ...(name.endsWith("date") ? times : []),
    ...odd,
  ];
}

let bodyCount = 0;
let sentInAll = 0;

/** Bodies for a route: a valid one as far as the schema tells, and many with a single fault. */
function bodiesFor(schema: z.ZodType): string[] {
  if (!(schema instanceof z.ZodObject)) return ["{}"];
  const names = Object.keys(schema.shape);
  const base = (): Record<string, unknown> => {
    // a new name each time, so that no conflict hides the fault under test
    bodyCount += 1;
    const right: Record<string, unknown> = { name: `Garden ${bodyCount}`, notes: "seen", reviewed: true };
    return Object.fromEntries(Object.entries(right).filter(([key]) => names.includes(key)));
  };
  const values = [
    null,
    0,
    -1,
    1.5,
    1e308,
    true,
    "",
    "a",
    "a\0b",
    "\ud800",
    "..",
    "/etc",
    "a/../../b",
    "x".repeat(5_000),
    [],
    [1],
    {},
    { a: { b: [] } },
  ];
  const oneWrong = names.slice(0, 6).flatMap((name) => values.map((value) => JSON.stringify({ ...base(), [name]: value })));
  const shapes = [
    "{}",
    "[]",
    "null",
    "5",
    '"x"',
    "",
    "{",
    '{"a":1,"a":2}',
    '{"__proto__":{"x":1}}',
    '{"constructor":1}',
    `{"":${"[".repeat(2_000)}${"]".repeat(2_000)}}`,
  ];
  return [JSON.stringify(base()), ...oneWrong, ...shapes];
}

interface Sent {
  readonly path: string;
  readonly query: string;
  readonly body?: string;
  readonly type?: string;
}

function* requestsFor(route: Route): Generator<Sent> {
  const ids = ["front", "1", "2", "999999"];
  const pathWith = (id: string) => route.path.replace(/\{\w+\}/g, encodeURIComponent(id));
  const bodies = route.body ? bodiesFor(route.body) : [undefined];
  const [firstBody] = bodies;
  const withBody = firstBody === undefined ? {} : { body: firstBody };
  const path = pathWith("1");
  for (const id of route.params ? [...ids, ...odd.filter((text) => text !== "" && text !== "..")] : [])
    yield { path: pathWith(id), query: "", ...withBody };
  for (const [name, schema] of Object.entries(route.query?.shape ?? {})) {
    const texts = textsFor(name, schema as z.ZodType);
    for (const text of texts) yield { path, query: `${name}=${encodeURIComponent(text)}`, ...withBody };
    yield { path, query: `${name}=${texts[0] ?? ""}&${name}=1&${name}[]=1&${name}[a]=1`, ...withBody };
  }
  for (const query of ["", "unknown=1&unknown=2", "%=%&=&&", "__proto__=1", "api_key=x&token=y"]) yield { path, query, ...withBody };
  for (const body of bodies) if (body !== undefined) yield { path: pathWith("front"), query: "", body };
  if (route.body) yield { path, query: "", body: "{}", type: "text/plain" };
}

function ask(route: Route, { path, query, body, type = "application/json" }: Sent): Promise<Answer> {
  return new Promise((done, fail) => {
    const options = { port: served.port, host: "127.0.0.1", method: route.method.toUpperCase(), path: query ? `${path}?${query}` : path };
    const headers = body === undefined ? {} : { "Content-Type": type, "Content-Length": Buffer.byteLength(body) };
    httpRequest({ ...options, headers }, (response) => {
      let text = "";
      response.setEncoding("latin1");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => done({ status: response.statusCode ?? 0, headers: response.headers, text }));
    })
      .on("error", fail)
      .end(body);
  });
}

interface Promised {
  readonly responses: Readonly<Record<string, { readonly headers: Readonly<Record<string, unknown>> }>>;
}
const document = openapiInFull() as { paths: Record<string, Record<string, Promised>> };

/** Headers that describe the answer of a route, unlike those of HTTP or of every answer. */
const telling = [
  ...["x-request-id", "x-ignored-parameters", "deprecation", "etag", "last-modified", "accept-ranges", "content-range"],
  ...["content-disposition", "www-authenticate", "retry-after", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"],
];

function complaints(route: Route, { status, headers, text }: Answer): string[] {
  const promised = document.paths[route.path]?.[route.method]?.responses[status];
  const wrong = [];
  if (status >= 500) wrong.push(`status ${status}`);
  if (!promised) wrong.push(`status ${status} is not in openapi.json`);
  const known = Object.keys(promised?.headers ?? {}).map((name) => name.toLowerCase());
  for (const name of telling)
    if (headers[name] && !known.includes(name)) wrong.push(`the header ${name} of ${status} is not in openapi.json`);
  if (!headers["x-request-id"]) wrong.push("no request id");
  if (status >= 400) {
    const body = status === 422 ? ValidationErrorBody : ErrorBody;
    if (!body.safeParse(JSON.parse(text)).success) wrong.push("not an error body");
    if (/\n\s+at |postgres|node_modules|syntax error/i.test(text)) wrong.push("tells internals");
    if (status === 422 && /"loc":\["(?!path|query|body|header)/.test(text)) wrong.push("loc begins elsewhere");
  }
  return wrong;
}

/** Requests of the random part; `npm run fuzz` sends more. A failure prints the seed that repeats it. */
const randomRequests = Number(process.env["FUZZ_REQUESTS"] ?? 1_000);
const seed = Number(process.env["FUZZ_SEED"] ?? process.env["TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 32));

/** A request with some of its parameters, each valid or not, and a random body. */
function mixed(route: Route, random: () => number, pick: <T>(from: readonly T[]) => T): Sent {
  const path = route.path.replace(/\{\w+\}/g, () =>
    encodeURIComponent(pick(["front", "1", "2", "999999", ...odd.filter((text) => text && text !== "..")])),
  );
  const pairs = Object.entries(route.query?.shape ?? {}).flatMap(([name, schema]) => {
    if (random() < 0.5) return [];
    const texts = textsFor(name, schema as z.ZodType);
    return Array.from({ length: random() < 0.1 ? 2 : 1 }, () => `${name}=${encodeURIComponent(pick(texts))}`);
  });
  const bodies = route.body ? bodiesFor(route.body) : [];
  return { path, query: pairs.join("&"), ...(bodies.length > 0 && { body: pick(bodies) }) };
}

/** The body fields that are whole numbers, with route and name. */
function wholeNumbers(): [id: string, name: string, route: Route][] {
  return (Object.entries(routes) as [string, Route][]).flatMap(([id, route]) => {
    if (!route.body) return [];
    const { properties } = z.toJSONSchema(route.body, { io: "input", unrepresentable: "any" }) as { properties?: Record<string, Member> };
    return Object.entries(properties ?? {})
      .filter(([, { type, anyOf = [] }]) => [type, ...anyOf.map((one) => one.type)].includes("integer"))
      .map(([name]): [string, string, Route] => [id, name, route]);
  });
}

/** The part of a JSON schema that gives the type of a field. */
interface Member {
  readonly type?: string;
  readonly anyOf?: readonly Member[];
}

describe("fuzz HTTP", () => {
  it.each(Object.entries(routes) as [string, Route][])("fuzz HTTP: %s gives documented answers", async (_id, route) => {
    const found: string[] = [];
    let count = 0;
    for (const sent of requestsFor(route)) {
      count += 1;
      const answer = await ask(route, sent);
      for (const wrong of complaints(route, answer)) {
        found.push(`${wrong}: ${JSON.stringify(sent).slice(0, 200)} -> ${answer.text.slice(0, 300)}`);
      }
    }
    expect(found.slice(0, 10)).toEqual([]);
    expect(count).toBeGreaterThanOrEqual(5);
    sentInAll += count;
  });

  it.each(wholeNumbers())("fuzz HTTP: %s accepts only a whole number for %s", async (_id, name, route) => {
    const path = route.path.replace(/\{\w+\}/g, "front");
    for (const value of ["5", "", 1.5, true, [5], { n: 5 }]) {
      const answer = await ask(route, { path, query: "", body: JSON.stringify({ [name]: value }) });
      const { detail } = ValidationErrorBody.parse(JSON.parse(answer.text));
      expect(
        detail.find(({ loc }) => loc.join(".") === `body.${name}`),
        JSON.stringify(value),
      ).toMatchObject({ type: "int_parsing" });
      sentInAll += 1;
    }
  });

  it("fuzz HTTP: sends thousands of requests", () => {
    expect(sentInAll + randomRequests).toBeGreaterThan(2_000);
  });

  it("fuzz HTTP: random combinations of faults lead to documented answers", async () => {
    const random = randomFrom(seed);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const all = Object.values(routes) as Route[];
    const found: string[] = [];
    for (let n = 0; n < randomRequests && found.length < 10; n += 1) {
      const route = pick(all);
      const sent = mixed(route, random, pick);
      const answer = await ask(route, sent);
      for (const wrong of complaints(route, answer)) {
        found.push(`${wrong}: ${route.method} ${JSON.stringify(sent).slice(0, 300)} -> ${answer.text.slice(0, 300)}`);
      }
    }
    expect(found, `seed ${seed}`).toEqual([]);
  }, 600_000);

  it("fuzz HTTP: no request caused an internal error", () => {
    expect(log.lines.filter(({ level }) => level === "error").slice(0, 3)).toEqual([]);
  });
});
