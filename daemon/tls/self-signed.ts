import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { isIP, SocketAddress } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import { dayMs } from "../../src/base/clock/durations.ts";
import { Problem } from "../../src/contract/problem.ts";
import { type KeyPair, type KeyPairPaths, readKeyPair } from "../../src/platform/tls/key-pair.ts";
import { selfSignedCertificate } from "./certificate.ts";

/** Some systems take no certificate that is valid for more than 825 days. */
const validDays = 820;
const renewDaysBefore = 60;
/** Clocks of a house may differ; a certificate that is valid from tomorrow on is of no use today. */
const fromDaysBefore = 1;
/** Names of earlier certificates stay, so that a machine which moves between networks keeps one that is trusted; but not without end. */
const mostNames = 100;

/**
 * The own certificate and its key from `places`. They are made anew, the key readable by this user only, when there are
 * none, when one of the `names` that last is not in them, or `renewDaysBefore` days before the end.
 */
export async function ensureSelfSigned(places: KeyPairPaths, names: readonly string[], now: Date): Promise<KeyPair> {
  const known = await readIfUsable(places);
  const before = known && new X509Certificate(known.cert);
  if (before && isGood(before, names, now)) return known;
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const cert = selfSignedCertificate({
    title: `homesec on ${hostname()}`,
    names: [...new Set([...names, ...(before ? namesIn(before) : [])])].slice(0, mostNames),
    from: new Date(now.getTime() - fromDaysBefore * dayMs),
    to: new Date(now.getTime() + validDays * dayMs),
    publicKey,
    privateKey,
  });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  await mkdir(join(places.keyPath, ".."), { recursive: true, mode: 0o700 });
  await replaceFile(places.keyPath, key, 0o600);
  await replaceFile(places.certPath, cert, 0o644);
  return { cert, key };
}

/** Everything under which this machine may be asked: `localhost`, its name, its addresses, and what is configured. */
export function ownNames(configured: readonly string[]): readonly string[] {
  const own = hostname().toLowerCase();
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  // link-local addresses of IPv6 need the name of an interface behind them, which no certificate can hold
  const lan = addresses.map(({ address }) => address).filter((address) => !/^fe[89ab]/i.test(address));
  const names = ["localhost", own, ...(own.includes(".") ? [] : [`${own}.local`]), "127.0.0.1", "::1", ...lan, ...configured];
  const plain = names.map((name) => name.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, ""));
  return [...new Set(plain)].filter(
    (name) => !["0.0.0.0", "::", "::0"].includes(name) && (isIP(name) !== 0 || /^[a-z0-9*._-]+$/i.test(name)),
  );
}

/** What was made before, or undefined when there is nothing that can be used. */
async function readIfUsable(places: KeyPairPaths): Promise<KeyPair | undefined> {
  try {
    return await readKeyPair(places);
  } catch (error) {
    // missing, or cut off by a crash in the middle of its making: made again
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

function isGood(certificate: X509Certificate, names: readonly string[], now: Date): boolean {
  const from = Date.parse(certificate.validFrom);
  const to = Date.parse(certificate.validTo);
  if (now.getTime() < from || now.getTime() > to - renewDaysBefore * dayMs) return false;
  // addresses of IPv6 come and go by the day: a new one is not worth a certificate that everybody has to trust anew
  const known = new Set(namesIn(certificate));
  return names.every((name) => isIP(name) === 6 || known.has(name));
}

function namesIn({ subjectAltName = "" }: X509Certificate): readonly string[] {
  return subjectAltName.split(", ").map((entry) => shortForm(entry.replace(/^(DNS|IP Address):/, "")));
}

/** OpenSSL writes all groups of an IPv6 address. */
function shortForm(name: string): string {
  return isIP(name) === 6 ? new SocketAddress({ address: name, family: "ipv6" }).address : name;
}

async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const beside = `${path}.new`;
  await writeFile(beside, text, { mode });
  await rename(beside, path);
}
