import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { isIP, SocketAddress } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import { dayMs } from "../../src/base/clock/clock.ts";
import { Problem } from "../../src/contract/problem.ts";
import { type KeyPair, type KeyPairPaths, readKeyPair } from "../../src/platform/tls/key-pair.ts";
import { selfSignedCertificate } from "./certificate.ts";

/** Some systems reject certificates that are valid for more than 825 days. */
const validDays = 820;
const renewDaysBefore = 60;
/** Clocks in a house differ. Without this margin, a device whose clock is behind would reject a new certificate. */
const fromDaysBefore = 1;
/** Maximum number of names. Those of earlier certificates stay, so that a machine that changes networks stays trusted. */
const maxNames = 100;

/**
 * Returns the self-signed certificate and its key from `paths`. Creates new ones if there are none, if one of the permanent `names` is
 * missing, or `renewDaysBefore` days before expiry. Only the current user can read the key.
 */
export async function ensureSelfSigned(paths: KeyPairPaths, names: readonly string[], now: Date): Promise<KeyPair> {
  const known = await readIfUsable(paths);
  const previous = known && new X509Certificate(known.cert);
  if (previous && isCurrent(previous, names, now)) return known;
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const cert = selfSignedCertificate({
    title: `homesec on ${hostname()}`,
    names: [...new Set([...names, ...(previous ? namesIn(previous) : [])])].slice(0, maxNames),
    from: new Date(now.getTime() - fromDaysBefore * dayMs),
    to: new Date(now.getTime() + validDays * dayMs),
    publicKey,
    privateKey,
  });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  await mkdir(join(paths.keyPath, ".."), { recursive: true, mode: 0o700 });
  await replaceFile(paths.keyPath, key, 0o600);
  await replaceFile(paths.certPath, cert, 0o644);
  return { cert, key };
}

/** Returns all names of this machine: `localhost`, its host name, its addresses and the configured names. */
export function machineNames(configured: readonly string[]): readonly string[] {
  const host = hostname().toLowerCase();
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  // IPv6 link-local addresses need an interface name, which a certificate cannot contain.
  const lan = addresses.map(({ address }) => address).filter((address) => !/^fe[89ab]/i.test(address));
  const names = ["localhost", host, ...(host.includes(".") ? [] : [`${host}.local`]), "127.0.0.1", "::1", ...lan, ...configured];
  const withoutBrackets = names.map((name) => name.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, ""));
  return [...new Set(withoutBrackets)].filter(
    (name) => !["0.0.0.0", "::", "::0"].includes(name) && (isIP(name) !== 0 || /^[a-z0-9*._-]+$/i.test(name)),
  );
}

/** Returns the existing key pair, or undefined if it is missing or unusable. */
async function readIfUsable(paths: KeyPairPaths): Promise<KeyPair | undefined> {
  try {
    return await readKeyPair(paths);
  } catch (error) {
    // The files are missing, or a crash interrupted their creation. Create them again.
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

function isCurrent(certificate: X509Certificate, names: readonly string[], now: Date): boolean {
  const from = Date.parse(certificate.validFrom);
  const to = Date.parse(certificate.validTo);
  if (now.getTime() < from || now.getTime() > to - renewDaysBefore * dayMs) return false;
  // IPv6 addresses change daily. A new one does not justify a certificate that every client has to trust again.
  const known = new Set(namesIn(certificate));
  return names.every((name) => isIP(name) === 6 || known.has(name));
}

function namesIn({ subjectAltName = "" }: X509Certificate): readonly string[] {
  return subjectAltName.split(", ").map((entry) => compressAddress(entry.replace(/^(DNS|IP Address):/, "")));
}

/** OpenSSL writes IPv6 addresses with all their groups. Returns the short form. */
function compressAddress(name: string): string {
  return isIP(name) === 6 ? new SocketAddress({ address: name, family: "ipv6" }).address : name;
}

async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.new`;
  await writeFile(temporary, text, { mode });
  await rename(temporary, path);
}
