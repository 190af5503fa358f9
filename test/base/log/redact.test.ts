import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redact } from "../../../src/base/log/redact.ts";
import { timed } from "../../support/timed.ts";

describe("redact", () => {
  it.each([
    ["GET /api/events?api_key=geheim&limit=5", "GET /api/events?api_key=***&limit=5"],
    ["api-key:geheim", "api-key:***"],
    ["X-API-Key: geheim", "X-API-Key: ***"],
    ["API_KEY = geheim!", "API_KEY = ***"],
    ["?token=geheim", "?token=***"],
    ["Authorization: Bearer geheimgeheim", "Authorization: Bearer ***"],
    ["authorization=geheim", "authorization=***"],
    ["sent Bearer geheim12345.x-y", "sent Bearer ***"],
    ["postgres://ada:geheim@db:5432/x", "postgres://ada:***@db:5432/x"],
    ["redis://:ge@heim@cache", "redis://:***@cache"],
    ["Sec-WebSocket-Protocol: api-key.geheim, v1", "Sec-WebSocket-Protocol: api-key.***, v1"],
    ['{"password":"ge\\"heim","user":"ada"}', '{"password":"***","user":"ada"}'],
    ['{"headers":{"x-api-key":"geheim","accept":"*"}}', '{"headers":{"x-api-key":"***","accept":"*"}}'],
    ['api_key="ge heim" was refused', 'api_key="***" was refused'],
    ["api_key='ge heim' was refused", "api_key='***' was refused"],
    ["password: 'geheim'", "password: '***'"],
    ['the body was {"token":"geheim', 'the body was {"token":"***"'],
    ['{"msg":"body {\\"api_key\\":\\"ge heim\\",\\"a\\":1}"}', '{"msg":"body {\\"api_key\\":\\"***\\",\\"a\\":1}"}'],
    [
      '{"msg":"{\\"a\\":\\"{\\\\\\"token\\\\\\": \\\\\\"geheim\\\\\\"}\\"}"}',
      '{"msg":"{\\"a\\":\\"{\\\\\\"token\\\\\\": \\\\\\"***\\\\\\"}\\"}"}',
    ],
    ['{"url":"http://h/?api_key=geheim"}', '{"url":"http://h/?api_key=***"}'],
    ["the token of the camera is old", "the token of the camera is old"],
    ["http://127.0.0.1:8000/a@b", "http://127.0.0.1:8000/a@b"],
    ["/cameras/front/a.jpg at 22:15:03", "/cameras/front/a.jpg at 22:15:03"],
  ])("redact: %s", (text, safe) => {
    expect(redact(text)).toBe(safe);
  });

  it("redact: scans a long text once, whatever it contains", timed, () => {
    for (const part of ["a-", "a://", "token ", "token=", "token='", 'token=\\"', "authorization: ", '"token":"', "a:", "bearer "]) {
      const begun = performance.now();
      redact(part.repeat(500_000 / part.length));
      redact(`{${part.repeat(500_000 / part.length)}`);
      expect(performance.now() - begun).toBeLessThan(1_000);
    }
  });

  it("redact: JSON lines stay valid, with every field in its place", () => {
    const secretish = fc.oneof(fc.string(), fc.constantFrom('api_key=a"b', "api-key: \\", "authorization: x\\", "a://b:c\\@d", "token=}"));
    fc.assert(
      fc.property(fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("password", "token")), secretish), (fields) => {
        expect(Object.keys(JSON.parse(redact(JSON.stringify(fields))) as object)).toHaveLength(Object.keys(fields).length);
      }),
      { numRuns: 500 },
    );
  });

  it("redact: a secret is gone from JSON inside of JSON, however deep and whatever surrounds it", () => {
    const secret = "geheim 7 words";
    const around = fc.string().filter((text) => !text.includes("geheim"));
    fc.assert(
      fc.property(fc.nat({ max: 4 }), around, fc.constantFrom("api_key", "token", "password", "authorization"), (depth, text, name) => {
        let line = JSON.stringify({ text, [name]: secret, after: 1 });
        for (let at = 0; at < depth; at += 1) line = JSON.stringify({ text, msg: `the answer was ${line}` });
        const safe = redact(line);
        expect(safe).not.toContain("geheim");
        expect(Object.keys(JSON.parse(safe) as object)).toEqual(depth === 0 ? ["text", name, "after"] : ["text", "msg"]);
      }),
      { numRuns: 300 },
    );
  });
});
