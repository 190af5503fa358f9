import { expect, it } from "vitest";
import { createKeyring, generateKey } from "../../../src/platform/keys/keyring.ts";

it("keyring: accepts each of its keys and nothing else", () => {
  const keyring = createKeyring(["first", "second", "schlüssel"]);
  for (const key of ["first", "second", "schlüssel", Buffer.from("schlüssel")]) expect(keyring.accepts(key)).toBe(true);
  for (const key of ["", "firs", "first ", "FIRST", "third", "first,second"]) expect(keyring.accepts(key)).toBe(false);
  expect(createKeyring([]).accepts("")).toBe(false);
});

it("keyring: accepts a key that is configured twice", () => {
  expect(createKeyring(["twice", "twice"]).accepts("twice")).toBe(true);
});

it("keyring: generated keys are random and need no escaping", () => {
  const keys = Array.from({ length: 100 }, generateKey);
  expect(new Set(keys).size).toBe(100);
  for (const key of keys) expect(key).toMatch(/^hs_[\w-]{43}$/);
});
