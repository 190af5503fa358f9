import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { accessSync, constants, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { eventually } from "./eventually.ts";

const sftpServer = "/usr/lib/openssh/sftp-server";

function canMount(): boolean {
  try {
    accessSync("/dev/fuse", constants.R_OK | constants.W_OK);
    accessSync(sftpServer, constants.X_OK);
    return spawnSync("sshfs", ["--version"]).status === 0;
  } catch {
    return false;
  }
}

/** Whether Debian's sshfs and openssh-sftp-server are installed and may mount. Tests that need them are skipped loudly without them. */
export const sharesInstalled = canMount();

if (!sharesInstalled)
  process.stderr.write("sshfs or its server is not installed, or may not mount: the tests that need network shares are skipped\n");

/** A real network share. */
export interface NetworkShare {
  /** Stops answering, like a share whose server is down: callers wait in the kernel. */
  hang(): void;
  /** Answers again. */
  answer(): void;
  /** Unmounts it, hanging or not; waiting calls fail. */
  unmount(): Promise<void>;
}

/** Changes on the server are visible at once: sshfs caches for 20 seconds by default. */
const options = "passive,dir_cache=no,attr_timeout=0,entry_timeout=0,negative_timeout=0";

/** Mounts the folder `real` at `place` through its server. Do not access it synchronously. */
export async function networkShare(real: string, place: string): Promise<NetworkShare> {
  await Promise.all([mkdir(real, { recursive: true }), mkdir(place, { recursive: true })]);
  const server = spawn(sftpServer, [], { stdio: ["pipe", "pipe", "inherit"] });
  // The two processes talk to each other directly, without this process.
  const client = spawn("sshfs", ["-f", "-o", options, `:${real}`, place], { stdio: [server.stdout, server.stdin, "inherit"] });
  server.stdout.destroy();
  server.stdin.destroy();
  const isMounted = (): boolean => readFileSync("/proc/self/mountinfo", "utf8").includes(` ${place} `);
  await eventually(isMounted, { what: `the share at ${place}` });
  const isOver = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;
  return {
    hang: () => void client.kill("SIGSTOP"),
    answer: () => void client.kill("SIGCONT"),
    unmount: async () => {
      client.kill("SIGKILL");
      await eventually(() => isOver(client), { what: "the end of sshfs" });
      if (isMounted()) spawnSync("fusermount3", ["-u", "-z", place]);
      server.kill("SIGKILL");
      await eventually(() => isOver(server), { what: "the end of its server" });
    },
  };
}
