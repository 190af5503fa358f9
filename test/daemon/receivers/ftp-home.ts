import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { FtpReceiver } from "../../../daemon/receivers/ftp/ftp-receiver.ts";
import type { FtpLimits } from "../../../daemon/receivers/ftp/limits.ts";
import { Guard } from "../../../daemon/receivers/guard.ts";
import { createInbox } from "../../../daemon/receivers/inbox.ts";
import { KnownLogins } from "../../../daemon/receivers/known-logins.ts";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { recentFaults, replaceLogin } from "../../../src/monitoring/receivers/logins-repository.ts";
import { passwordHash } from "../../../src/monitoring/receivers/password.ts";
import { testDatabase } from "../../support/database.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { FtpClient } from "./ftp-client.ts";

const password = "k3mx7rq2fh9tnw4c";

/** The FTP receiver with a camera `porch`, without the rest of the daemon. */
export interface FtpHome {
  readonly receiver: FtpReceiver;
  readonly folder: string;
  readonly port: number;
  client(localAddress?: string): Promise<FtpClient>;
  /** Files in the camera's folder, also hidden ones. */
  files(): Promise<readonly string[]>;
  /** Files beside the camera's folder, of which there must be none. */
  filesElsewhere(): Promise<readonly string[]>;
  faults(): Promise<string>;
  close(): Promise<void>;
}

/** Starts one. Close it at the end. */
export async function ftpHome(
  options: {
    readonly limits?: Partial<FtpLimits>;
    readonly mostConnections?: number;
    readonly filesPerMinute?: number;
    readonly ports?: readonly [number, number];
    readonly folder?: string;
    /** Cameras that share the folder, with their file patterns. */
    readonly sharers?: Readonly<Record<string, string>>;
    /** The file pattern of the camera `porch`. */
    readonly pattern?: string;
  } = {},
): Promise<FtpHome> {
  const database = await testDatabase();
  const { db } = database;
  const root = temporaryFolder("ftp-home");
  const folder = options.folder ?? join(root.path, "porch");
  await mkdir(folder, { recursive: true });
  const { now } = systemClock;
  await db.transaction(async (sql) => {
    for (const [id, pattern] of Object.entries({ porch: options.pattern ?? null, ...options.sharers }))
      await sql`
        insert into cameras (camera_id, name, folder_path, file_pattern)
        values (${id}, ${id === "porch" ? "Porch" : id}, ${folder}, ${pattern})
      `;
    await replaceLogin(sql, { cameraId: "porch", protocol: "ftp", username: "porch", hash: passwordHash(password) }, now());
  });
  const logins = new KnownLogins({ db, clock: systemClock, log: silentLog });
  await logins.start();
  const wrongPasswords = { record: async () => {}, total: () => 0 };
  const { mostConnections = 256, filesPerMinute = 1_000_000, limits = {} } = options;
  const inbox = createInbox({ roots: [root.path, folder], mostBytes: 1_000_000, refusalOf: logins.refusalOf });
  const receiver = new FtpReceiver({
    ...{ logins, limits, inbox, log: silentLog, keyPair: () => undefined },
    guard: new Guard({ mostConnections, filesPerMinute, wrongPasswords }),
    config: {
      ...{ receiverHost: "127.0.0.1", receiverAddress: undefined, ftpPort: 0, ftpsPort: undefined },
      ftpPassivePorts: options.ports ?? null,
    },
  });
  await receiver.open();
  const { port } = receiver.address();
  return {
    ...{ receiver, folder, port },
    client: (localAddress) => new FtpClient(port, localAddress).login("porch", password),
    files: async () => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    },
    filesElsewhere: async () => (await readdir(root.path)).filter((name) => name !== "porch"),
    faults: async () => {
      await logins.store();
      const faults = await db.query((sql) => recentFaults(sql, { cameraId: undefined, since: new Date(0), limit: 50 }));
      return faults.map(({ message }) => message).join("\n");
    },
    close: async () => {
      await receiver.close();
      await logins.stop();
      await database.close();
      await root.remove();
    },
  };
}
