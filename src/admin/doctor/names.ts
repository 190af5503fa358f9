import { execFile } from "node:child_process";
import { isIP } from "node:net";
import { plainHost } from "../../platform/outbound/address.ts";
import { failureText } from "../../platform/outbound/failure.ts";
import { type Resolve, resolveBySystem } from "../../platform/outbound/resolve.ts";
import type { Machine } from "./machine.ts";

const timeoutMs = 3_000;
/** Exit code of `getent` for an unknown name. */
const notFound = 2;

/**
 * Resolves names in a child process, which can be killed. A lookup in this process lasts as long as the name server is silent, and Node.js
 * does not exit before its lookups end. Falls back to such a lookup where `getent` is missing.
 */
export function resolveWithGetent({ getent }: Pick<Machine, "getent">): Resolve {
  return (name) =>
    new Promise((resolve, reject) => {
      execFile(getent, ["ahosts", name], { timeout: timeoutMs, killSignal: "SIGKILL" }, (error, out) => {
        const addresses = [...new Set(out.split("\n").flatMap((line) => line.split(/\s/)[0] || []))];
        const failed = (code: string): void => reject(Object.assign(new Error(`no address of ${name}`), { code }));
        if (error?.killed) failed("EAI_AGAIN");
        else if (error?.code === notFound || (!error && addresses.length === 0)) failed("ENOTFOUND");
        else if (error) resolveBySystem(name).then(resolve, reject);
        else resolve(addresses);
      });
    });
}

/** Returns why a host cannot be resolved; undefined for addresses, sockets and names that resolve. */
export async function nameFault(machine: Pick<Machine, "getent">, host: string): Promise<string | undefined> {
  const plain = plainHost(host);
  if (isIP(plain) !== 0 || plain === "localhost" || plain.startsWith("/")) return undefined;
  try {
    await resolveWithGetent(machine)(plain);
    return undefined;
  } catch (error) {
    return failureText(plain, error);
  }
}
