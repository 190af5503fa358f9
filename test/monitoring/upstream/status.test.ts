import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeStatus, meaningOf } from "../../../src/monitoring/upstream/status.ts";

const called = { url: "http://127.0.0.1:9001/yolo/detect", path: "/detect", variable: "DETECTOR_URL" };
const describe308 = (location: string | null, status = 308) => describeStatus({ ...called, status, location });

test("status: only 400, 413, 415 and 422 are about one request, and 408, 425 and 429 ask for later", () => {
  const statuses = Array.from({ length: 500 }, (_, n) => 100 + n).filter((status) => status !== 200);
  const of = (meaning: string) => statuses.filter((status) => meaningOf(status) === meaning);
  expect(of("request")).toEqual([400, 413, 415, 422]);
  expect(of("busy")).toEqual([408, 425, 429]);
});

test.each([
  [201, "homesec expects status 200; check that DETECTOR_URL leads to the right service"],
  [401, "asks for a key, and homesec sends none; let it accept this machine without one, or set DETECTOR_URL to a proxy that adds the key"],
  [403, "forbids the request; allow this machine there, or correct DETECTOR_URL"],
  [404, "nothing there answers POST /detect; start the service behind the address, or correct DETECTOR_URL"],
  [404, "; CodeProject.AI, Blue Onyx and DeepStack need deepstack+ in front of the address"],
  [405, "nothing there answers POST /detect"],
  [407, "a proxy asks for a login; set DETECTOR_URL to an address that needs no proxy"],
  [421, "set DETECTOR_URL to the name that it expects"],
  [426, "set DETECTOR_URL to its https:// address"],
  [451, "homesec expects status 200"],
  [500, "the service failed; its log says why"],
  [502, "the service behind the address is not ready"],
])("status %i: the description names the fix", (status, fix) => {
  const text = describeStatus({ ...called, status, location: null });
  expect(text).toMatch(new RegExp(`^status ${status}: `));
  expect(text).toContain(fix);
});

describe("status of a redirect", () => {
  test("names the address to set if the path of the operation is kept", () => {
    const moved =
      "status 308: the service redirects to https://ai.lan/yolo/detect, which homesec does not follow; set DETECTOR_URL=https://ai.lan/yolo";
    expect(describe308("https://ai.lan/yolo/detect")).toBe(moved);
    expect(describe308("https://user:pw@ai.lan/yolo/detect?token=x#y")).toBe(moved);
    expect(describe308("/v2/detect")).toContain("set DETECTOR_URL=http://127.0.0.1:9001/v2");
  });

  test("keeps what stands in front of the address", () => {
    const location = "https://ai.lan/yolo/detect";
    expect(describeStatus({ ...called, addressPrefix: "deepstack+", status: 308, location })).toContain(
      "set DETECTOR_URL=deepstack+https://ai.lan/yolo",
    );
  });

  test("names a page that is not the service, such as a login", () => {
    expect(describe308("/login?next=%2Fdetect", 302)).toBe(
      "status 302: the service redirects to http://127.0.0.1:9001/login, which homesec does not follow; set DETECTOR_URL to the address that answers directly",
    );
  });

  test("names the variable if the target is missing or no web address", () => {
    for (const location of [null, "http://", "javascript:alert(1)", "data:text/html,x"]) {
      expect(describe308(location)).toBe("status 308: the service redirects, which homesec does not follow; correct DETECTOR_URL");
    }
  });

  test("shows no query, no password and no control characters, whatever the target", () => {
    const sign = fc.constantFrom(..."ab/?#@:%\n\0é\u202e ", "//", "detect", "http://", "https://");
    const target = fc.array(sign, { maxLength: 20 }).map((signs) => signs.join(""));
    fc.assert(
      fc.property(target, (location) => {
        const text = describe308(location);
        expect(text).not.toMatch(/[?#\p{Cc}]|redirects to https?:\/\/[^/]*@/u);
        expect(text.length).toBeLessThan(700);
      }),
    );
  });
});
