import { expect, it } from "vitest";
import { sealerOf } from "../../../src/platform/secrets/sealer.ts";
import { checkSignature, signAddress } from "../../../src/platform/secrets/signed-address.ts";

const sealer = sealerOf(Buffer.alloc(32, 1), "/nowhere");
const now = new Date("2026-02-01T08:00:00Z");
const check = (address: string, at: Date, signer = sealer) => {
  const [path = "", query = ""] = address.split("?");
  return checkSignature(path, new URLSearchParams(query), signer, at);
};

it("signed address: works until the end of the seventh day, the same in each message of a day", () => {
  const address = signAddress("/api/detections/7/image", sealer, now);
  expect(signAddress("/api/detections/7/image", sealer, new Date("2026-02-01T20:00:00Z"))).toBe(address);
  expect(check(address, now)).toBe("valid");
  expect(check(address, new Date("2026-02-08T23:59:59Z"))).toBe("valid");
  expect(check(address, new Date("2026-02-09T00:00:00Z"))).toBe("ended");
});

it("signed address: another path, time, key file or purpose makes it wrong", () => {
  const address = signAddress("/api/detections/7/image", sealer, now);
  expect(check(address.replace("/7/", "/8/"), now)).toBe("wrong");
  expect(check(address.replace(/expires=\d+/, "expires=4102444800"), now)).toBe("wrong");
  expect(check(address, now, sealerOf(Buffer.alloc(32, 2), "/nowhere"))).toBe("wrong");
  expect(check("/api/detections/7/image", now)).toBe("none");
  expect(sealer.sign("a", "text")).not.toEqual(sealer.sign("b", "text"));
});
