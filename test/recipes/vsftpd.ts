import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { temporaryFolder } from "../support/temporary.ts";

const shipped = join(import.meta.dirname, "../../packaging/vsftpd.conf");

/** The reason why these tests cannot run here, or undefined. */
export function whyNoFtp(): string | undefined {
  if (!["/usr/sbin/vsftpd", "/usr/bin/vsftpd", "/sbin/vsftpd"].some((path) => existsSync(path))) return "vsftpd is not installed";
  if (spawnSync("curl", ["--version"]).status !== 0) return "curl is not installed";
  if (process.getuid?.() !== 0) return "only root can start an FTP server that restricts cameras to their folders";
  return someAccount() ? undefined : "there is no account without privileges for uploads";
}

export interface FtpServer {
  /** Upload address, with a slash at the end. */
  readonly url: string;
  /** The folder behind `url`. */
  readonly cameraRoot: string;
  /** The upload log of the server. */
  log(): string;
  stop(): Promise<void>;
}

/**
 * A real vsftpd with the configuration that homesec ships, on a free port of 127.0.0.1. Unlike there, every client may log in without a
 * password, because a test creates no accounts.
 */
export async function ftpServer(): Promise<FtpServer> {
  const folder = temporaryFolder("vsftpd");
  const [root, empty, log, conf] = ["root", "empty", "log", "vsftpd.conf"].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
    string,
  ];
  const account = someAccount();
  const cameraRoot = join(root, "cameras");
  mkdirSync(cameraRoot, { recursive: true });
  mkdirSync(empty);
  if (account) chownSync(cameraRoot, account.uid, 0);
  // vsftpd enters the folder as that account before it restricts the account to it
  chmodSync(folder.path, 0o711);
  const [port, passive] = [await freePort(), await freePort()];
  const own = {
    ...{ listen_address: "127.0.0.1", listen_port: port, pasv_min_port: passive, pasv_max_port: passive + 20, connect_from_port_20: "NO" },
    ...{ anonymous_enable: "YES", local_enable: "NO", no_anon_password: "YES", ftp_username: account?.name, anon_root: root },
    ...{ anon_upload_enable: "YES", anon_mkdir_write_enable: "YES", anon_other_write_enable: "YES", anon_umask: "027" },
    ...{ secure_chroot_dir: empty, vsftpd_log_file: log },
  };
  const lines = Object.entries(own).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(conf, readFileSync(shipped, "utf8") + lines.join(""));
  const server = spawn("vsftpd", [conf], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { PATH: `${process.env["PATH"]}:/usr/sbin:/sbin` },
  });
  const ended = new Promise<void>((resolve) => server.once("close", () => resolve()));
  const address = `ftp://127.0.0.1:${port}/`;
  try {
    await eventually(() => spawnSync("curl", ["--silent", "--max-time", "5", address]).status === 0, { what: "an answer of vsftpd" });
  } catch (error) {
    server.kill("SIGKILL");
    throw error;
  }
  return {
    url: `${address}cameras/`,
    cameraRoot,
    log: () => readFileSync(log, "utf8"),
    stop: async () => {
      server.kill("SIGTERM");
      await ended;
      await folder.remove();
    },
  };
}

/** An account without privileges and with a home, as vsftpd requires. */
function someAccount(): { readonly name: string; readonly uid: number } | undefined {
  for (const line of readFileSync("/etc/passwd", "utf8").split("\n")) {
    const [name = "", , uid, , , home = ""] = line.split(":");
    if (["ftp", "daemon", "bin"].includes(name) && existsSync(home)) return { name, uid: Number(uid) };
  }
  return undefined;
}
