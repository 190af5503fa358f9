import { readFile } from "node:fs/promises";
import { connect, isIP } from "node:net";
import { join } from "node:path";
import { isLoopback } from "../../../platform/config/cross-checks.ts";
import { type Check, finding, ok, skipped } from "../check.ts";
import { resolveApart } from "../names.ts";

const connectMs = 1_000;

const port: Check = {
  id: "port",
  group: "access",
  title: "Port",
  severity: "error",
  finds: "Another program listens on PORT, or this user may not listen on it",
  remedy: "Stop the other program, or choose another PORT",
  async run(examination, signal) {
    const { machine } = examination;
    const { host, port } = examination.config();
    if (port === 0) return skipped("any free one is taken (PORT=0)");
    const daemon = await examination.lookForDaemon();
    const holder = await examination.holder();
    if ("client" in daemon || holder?.lives) return ok(`${port}, taken by homesec`);
    const first = Number(
      await readFile(join(machine.proc, "sys", "net", "ipv4", "ip_unprivileged_port_start"), "utf8").catch(() => "1024"),
    );
    if (port < first && machine.uid !== 0 && machine.uid !== undefined) {
      return finding(
        `Ports below ${first} are for root, and PORT is ${port}`,
        "Choose PORT=8000 with a proxy in front, or give the unit file AmbientCapabilities=CAP_NET_BIND_SERVICE",
      );
    }
    const address = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
    if (!(await takesConnections(address, port, signal))) return ok(`${port} is free`);
    return finding(
      `Something else listens on ${host}:${port}; homesec cannot`,
      `See what it is: sudo ss -ltnp 'sport = :${port}'; stop it, or choose another PORT`,
    );
  },
};

function takesConnections(host: string, port: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, signal, timeout: connectMs });
    const end = (taken: boolean): void => {
      socket.destroy();
      resolve(taken);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.on("error", () => end(false));
  });
}

const hostAddress: Check = {
  id: "host-address",
  group: "access",
  title: "Address to listen on",
  severity: "error",
  finds: "HOST is no address of this machine, or a name that is not known",
  remedy: "Correct HOST; 127.0.0.1 is this machine only, 0.0.0.0 is all its addresses",
  async run(examination) {
    const host = examination.config().host;
    if (isLoopback(host) || ["0.0.0.0", "::", "::0"].includes(host)) return ok(host);
    const own = examination.machine.addresses.map((address) => address.replace(/%.*$/, "").toLowerCase());
    const found = isIP(host) === 0 ? await resolveApart(examination.machine)(host).catch(() => []) : [host.toLowerCase()];
    const choose = "Correct HOST: 127.0.0.1 is for this machine only, 0.0.0.0 for all its addresses";
    if (found.length === 0) return finding(`HOST=${host} is a name that is not known`, choose);
    if (found.some((address) => own.includes(address.toLowerCase()) || isLoopback(address))) return ok(host);
    return finding(`HOST=${host} is no address of this machine`, `${choose}. It has: ${own.join(", ")}`);
  },
};

export const portChecks: readonly Check[] = [port, hostAddress];
