import { fork } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSealer, sealerOf } from "../../../src/platform/secrets/sealer.ts";
import { bundled } from "../../support/bundled.ts";
import { temporaryFolder } from "../../support/temporary.ts";

let folder: ReturnType<typeof temporaryFolder>;
let keyPath: string;

beforeEach(() => {
  folder = temporaryFolder("secrets");
  keyPath = join(folder.path, "data", "secret.key");
});
afterEach(() => folder.remove());

describe("sealing", () => {
  const sealer = sealerOf(Buffer.alloc(32, 7), "/srv/secret.key");

  it("sealing: opens every text again, and hides it and its repetition", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
        const sealed = sealer.seal(text);
        expect(sealer.unseal(sealed)).toBe(text);
        expect(sealed.equals(sealer.seal(text))).toBe(false);
        if (Buffer.byteLength(text) > 6) expect(sealed.includes(text)).toBe(false);
      }),
      { numRuns: 100 },
    );
  });

  it("sealing: refuses any changed byte", () => {
    const sealed = sealer.seal("whsec_abc");
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => sealer.unseal(changed)).toThrow("/srv/secret.key");
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => sealer.unseal(sealed.subarray(0, length))).toThrow("it is damaged; enter the secret again");
    }
  });

  it("sealing: reports another key, and how to fix it", () => {
    const other = sealerOf(Buffer.alloc(32, 8), "/elsewhere/secret.key");
    expect(() => sealer.unseal(other.seal("text"))).toThrow(
      `A stored secret cannot be opened with the key file /srv/secret.key: it was sealed with the key ${other.fingerprint}, and this is ${sealer.fingerprint}; put the right file there and start homesec again, or enter the secret again`,
    );
  });

  it("sealing: reports a value sealed by a newer homesec", () => {
    const sealed = sealer.seal("text");
    sealed[0] = 2;
    expect(() => sealer.unseal(sealed)).toThrow("another version of homesec (form 2)");
  });
});

describe("key file", () => {
  it("key file: is created once, for this user only", () => {
    const sealed = openSealer(keyPath).seal("text");
    expect(statSync(keyPath).mode & 0o777).toBe(0o600);
    expect(readFileSync(keyPath)).toHaveLength(32);
    expect(openSealer(keyPath).unseal(sealed)).toBe("text");
    expect(readdirSync(join(folder.path, "data"))).toEqual(["secret.key"]);
  });

  it("key file: is the same for processes that start together", async () => {
    const path = join(folder.path, "secret.key");
    const program = join(folder.path, "open.ts");
    const sealer = await bundled("src/platform/secrets/sealer.ts");
    writeFileSync(
      program.replace(".ts", ".mjs"),
      `import { openSealer } from ${JSON.stringify(sealer)};\nprocess.once("message", () => { process.send(openSealer(${JSON.stringify(path)}).fingerprint); process.disconnect(); });\nprocess.send("ready");`,
    );
    const children = Array.from({ length: 6 }, () => fork(program.replace(".ts", ".mjs")));
    const next = (child: (typeof children)[number]) => new Promise<unknown>((done) => child.once("message", done));
    await Promise.all(children.map(next));
    const answers = children.map(next);
    for (const child of children) child.send("go");
    expect(new Set(await Promise.all(answers)).size).toBe(1);
    expect(readdirSync(folder.path).filter((name) => name.startsWith("secret.key"))).toEqual(["secret.key"]);
  });

  it.each([0o604, 0o640, 0o620, 0o666])("key file: is not used while others may read it (%o)", (mode) => {
    openSealer(keyPath);
    chmodSync(keyPath, mode);
    expect(() => openSealer(keyPath)).toThrow(
      `The key file ${keyPath} cannot be used: others may read it or write to it; run: chmod 600 ${keyPath}`,
    );
    chmodSync(keyPath, 0o400);
    expect(() => openSealer(keyPath)).not.toThrow();
  });

  it("key file: has 32 bytes, and a wrong one is never replaced", () => {
    openSealer(keyPath);
    writeFileSync(keyPath, "");
    expect(() => openSealer(keyPath)).toThrow("it has 0 bytes and a key has 32");
    expect(readFileSync(keyPath)).toHaveLength(0);
  });

  it("key file: cannot be a folder, nor lie in a place that takes no files", () => {
    expect(() => openSealer(folder.path)).toThrow("it is no file; name one with SECRET_KEY_PATH");
    writeFileSync(join(folder.path, "file"), "");
    expect(() => openSealer(join(folder.path, "file", "secret.key"))).toThrow("SECRET_KEY_PATH");
  });
});
