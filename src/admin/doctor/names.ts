import { execFile } from "node:child_process";
import { isIP } from "node:net";
import { plainHost } from "../../platform/outbound/address.ts";
import { failureText } from "../../platform/outbound/failure.ts";
import { type Resolve, resolveBySystem } from "../../platform/outbound/resolve.ts";
import type { Machine } from "./machine.ts";

const answerMs = 3_000;
/** `getent` found nothing. */
const notFound = 2;

/**
 * Finds addresses in a process of its own, which can be killed: a look-up of ours goes on for as long as the name server is silent, and
 * no program ends before its look-ups do.
 */
export function resolveApart({ getent }: Pick<Machine, "getent">): Resolve {
  return (name) =>
    new Promise((resolve, reject) => {
      execFile(getent, ["ahosts", name], { timeout: answerMs, killSignal: "SIGKILL" }, (error, out) => {
        const addresses = [...new Set(out.split("\n").flatMap((line) => line.split(/\s/)[0] || []))];
        const failed = (code: string): void => reject(Object.assign(new Error(`no address of ${name}`), { code }));
        if (error?.killed) failed("EAI_AGAIN");
        else if (error?.code === notFound || (!error && addresses.length === 0)) failed("ENOTFOUND");
        else if (error) resolveBySystem(name).then(resolve, reject);
        else resolve(addresses);
      });
    });
}

/** Why a host cannot be found, in words; undefined for addresses, sockets and names that have one. */
export async function nameFault(machine: Pick<Machine, "getent">, host: string): Promise<string | undefined> {
  const plain = plainHost(host);
  if (isIP(plain) !== 0 || plain === "localhost" || plain.startsWith("/")) return undefined;
  try {
    await resolveApart(machine)(plain);
    return undefined;
  } catch (error) {
    return failureText(plain, error);
  }
}
