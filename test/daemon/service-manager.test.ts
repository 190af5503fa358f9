import { spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type HomesecProcess, serveHomesec } from "../support/homesec-process.ts";
import { temporaryFolder } from "../support/temporary.ts";

const missing = ["systemd-notify", "python3"].filter((program) => spawnSync(program, ["--version"]).status !== 0);
if (missing.length > 0) process.stderr.write(`${missing.join(" and ")} cannot be run: what a service manager hears is not tested\n`);

/** The service manager's end of the socket, in a language with Unix datagram sockets: prints each message on a line. */
const listener = `
import socket, sys
end = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
end.bind(sys.argv[1])
print("listens", flush=True)
while True:
    print(end.recv(4096).decode().replace("\\n", " "), flush=True)
`;

describe.skipIf(missing.length > 0)("under a service manager", () => {
  const folder = temporaryFolder("notify");
  const socket = join(folder.path, "socket");
  const manager = spawn("python3", ["-c", listener, socket], { stdio: ["ignore", "pipe", "inherit"] });
  const heard: string[] = [];
  const managerEnded = new Promise((resolve) => manager.once("close", resolve));
  let database: TestDatabase;
  let homesec: HomesecProcess & { readonly url: string };

  beforeAll(async () => {
    createInterface({ input: manager.stdout }).on("line", (line) => heard.push(line));
    await eventually(() => heard.includes("listens"));
    database = await testDatabase();
    const watched = { DATABASE_URL: database.url, NOTIFY_SOCKET: socket, WATCHDOG_USEC: "600000" };
    homesec = await serveHomesec({ DATA_DIR: join(folder.path, "data"), ...watched });
  });
  afterAll(async () => {
    homesec.kill("SIGKILL");
    await homesec.exit;
    manager.kill("SIGTERM");
    await managerEnded;
    await database.close();
    await folder.remove();
  });

  const lifeSigns = (): number => heard.filter((line) => line === "WATCHDOG=1").length;

  it("reports readiness, sends heartbeats and reports the stop", async () => {
    await eventually(() => heard.length > 1);
    expect(heard[1]).toBe(`READY=1 STATUS=Listening on ${homesec.url}`);
    const { ready } = (await (await fetch(`${homesec.url}/api/system/health/ready`)).json()) as { ready: boolean };
    expect(ready).toBe(true);
    await eventually(() => lifeSigns() >= 3);

    // a hanging process sends no heartbeat, so that it is restarted
    process.kill(homesec.pid, "SIGSTOP");
    const silent = await eventually(async () => {
      const before = lifeSigns();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return lifeSigns() === before ? before : undefined;
    });
    process.kill(homesec.pid, "SIGCONT");
    await eventually(() => lifeSigns() > silent);

    // its child processes could otherwise send messages on its behalf
    const children = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry) && parentOf(entry) === homesec.pid);
    const own = children.filter((child) => !heldBy(child, "comm").startsWith("systemd-notify"));
    expect(own.length).toBeGreaterThan(0);
    await eventually(() => !own.some((child) => heldBy(child, "environ").includes("NOTIFY_SOCKET=")));

    homesec.kill("SIGTERM");
    expect((await homesec.exit).code).toBe(0);
    await eventually(() => heard.includes("STOPPING=1"));
    expect(heard.indexOf("STOPPING=1")).toBeGreaterThan(heard.lastIndexOf("READY=1"));
  });
});

/** The state of a process according to the system; empty if the process is gone. */
function heldBy(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

function parentOf(pid: string): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(heldBy(pid, "status"))?.[1]);
}
