import { randomUUID } from "node:crypto";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { silentLog } from "../../../src/base/log/log.ts";
import { openSealerFor, openSealerLater } from "../../../src/platform/secrets/open-sealer.ts";
import { testDaemon } from "../../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { temporaryFolder } from "../../support/temporary.ts";

let database: TestDatabase;
let folder: ReturnType<typeof temporaryFolder>;
let keyPath: string;
let errors: string[];

beforeEach(async () => {
  database = await testDatabase();
  folder = temporaryFolder("key");
  keyPath = join(folder.path, "secret.key");
  errors = [];
});
afterEach(async () => {
  await database.close();
  await folder.remove();
});

const options = () => ({
  db: database.db,
  keyPath,
  log: { ...silentLog, error: (_: object, message: string) => void errors.push(message) },
});

/** Stores a webhook; only its sealed values matter. */
const store = (sealedSecret: Buffer, sealedAuth: Buffer | null = null) =>
  database.db.query(
    (sql) => sql`
      insert into webhooks (webhook_id, name, url, event_types, integration_type, sealed_secret, sealed_auth, max_retries, retry_delay_seconds, created_at, updated_at)
      values (${randomUUID()}, 'a', 'http://127.0.0.1/', '{event_created}', 'generic', ${sealedSecret}, ${sealedAuth}, 0, 1, now(), now())
    `,
  );

it("sealer: creates a key while nothing is sealed, and opens later what it sealed", async () => {
  const sealed = (await openSealerFor(options())).seal("whsec_1");
  await store(sealed);
  expect((await openSealerFor(options())).unseal(sealed)).toBe("whsec_1");
  expect(errors).toEqual([]);
});

it("sealer: creates no new key for secrets that need the old one", async () => {
  const sealer = await openSealerFor(options());
  await store(sealer.seal("1"));
  await store(sealer.seal("2"));
  rmSync(keyPath);
  const missing = `The key file ${keyPath} is missing, and the database holds secrets of 2 webhooks that only it can open; put it back`;
  await expect(openSealerFor(options())).rejects.toMatchObject({ kind: "unavailable", message: expect.stringContaining(missing) });
  expect(existsSync(keyPath)).toBe(false);
  // A command that needs no secret continues
  const later = await openSealerLater(options());
  expect(() => later.seal("x")).toThrow(missing);
  expect(() => later.unseal(Buffer.alloc(60))).toThrow(missing);
});

it("sealer: works with another key that a user has put there, and logs which secrets it cannot open", async () => {
  const sealer = await openSealerFor(options());
  const own = sealer.seal("1");
  await store(own);
  await store(own, sealer.seal("token"));
  writeFileSync(keyPath, Buffer.alloc(32, 1));
  const other = await openSealerFor(options());
  expect(errors).toEqual([
    `secrets of 2 webhooks were sealed with another key than the one in ${keyPath}: put the right file there and start homesec again, or enter them again`,
  ]);
  expect(() => other.unseal(own)).toThrow("enter the secret again");
  expect(other.unseal(other.seal("new"))).toBe("new");
});

it("sealer: a daemon does not start without the key that it needs", async () => {
  await store((await openSealerFor(options())).seal("1"));
  rmSync(keyPath);
  const env = { DATABASE_URL: database.url, SECRET_KEY_PATH: keyPath };
  await expect(testDaemon({ env })).rejects.toMatchObject({ message: expect.stringContaining("put it back from a backup") });
  expect(existsSync(keyPath)).toBe(false);
});
