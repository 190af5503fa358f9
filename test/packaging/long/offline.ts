import { spawn } from "node:child_process";
import { once } from "node:events";

/** A network with nothing but loopback. */
export interface Offline {
  /** The words in front of a command that carry it into this network and a folder; none where the kernel has no such networks. */
  readonly inside: (cwd: string) => readonly string[];
  close(): void;
}

/**
 * Opens it. For root, /var/lib is an empty folder in there too, because that is where homesec keeps the data of root: a test neither sees
 * nor changes those of the machine.
 */
export async function openOffline(): Promise<Offline> {
  const isRoot = process.getuid?.() === 0;
  const own = isRoot ? ["--net", "--mount"] : ["--net", "--user", "--map-current-user", "--keep-caps"];
  const data = isRoot ? "mount -t tmpfs -o mode=755 none /var/lib &&" : "";
  const keeper = spawn("unshare", [...own, "sh", "-c", `ip link set lo up && ${data} echo open && exec sleep 86400`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const opened = await Promise.race([
    once(keeper.stdout, "data").then(() => true),
    once(keeper, "exit").then(() => false),
    once(keeper, "error").then(() => false),
  ]);
  if (!opened) {
    process.stderr.write("this machine opens no network without a way out: the installation is tried with the network it has\n");
    return { inside: () => [], close: () => undefined };
  }
  const entered = isRoot ? ["--net", "--mount"] : ["--net", "--user", "--preserve-credentials"];
  return { inside: (cwd) => ["nsenter", `--target=${keeper.pid}`, ...entered, `--wdns=${cwd}`], close: () => keeper.kill() };
}
