import { X509Certificate } from "node:crypto";
import { access } from "node:fs/promises";
import { isIP } from "node:net";
import { dayMs } from "../../../base/clock/durations.ts";
import { Problem } from "../../../contract/problem.ts";
import { plainHost } from "../../../platform/outbound/address.ts";
import { type KeyPairPlaces, readKeyPair } from "../../../platform/tls/key-pair.ts";
import { selfSignedPaths } from "../../../platform/tls/self-signed-paths.ts";
import { type Check, finding, NotPossible, ok } from "../check.ts";
import type { Examination } from "../examination.ts";

/** Who renews by hand wants to know two weeks before. */
const soonDays = 14;

const files: Check = {
  id: "tls-files",
  group: "access",
  title: "Certificate and key",
  severity: "error",
  finds: "The files of TLS_CERT_PATH and TLS_KEY_PATH cannot be read, are damaged, or do not belong together",
  remedy: "Put the right files there, readable for the user that runs homesec",
  async run(examination) {
    const places = await placesOf(examination);
    try {
      await readKeyPair(places);
      return ok(places.certPath);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const own = examination.config().tlsMode === "self_signed";
      return finding(
        error.message,
        own
          ? `Remove ${places.certPath} and ${places.keyPath}, and restart homesec: it makes new ones`
          : "Name a certificate chain with TLS_CERT_PATH and its private key with TLS_KEY_PATH, both PEM, and let the user that runs homesec read them",
      );
    }
  },
};

const expiry: Check = {
  id: "tls-expiry",
  group: "access",
  title: "End of the certificate",
  severity: "error",
  finds: "The certificate is not valid any more, not yet, or ends within two weeks",
  remedy: "Renew the certificate; homesec takes it up by itself within a minute",
  async run(examination) {
    const certificate = await certificateOf(examination);
    const now = examination.clock.now().getTime();
    const [from, to] = [new Date(certificate.validFrom), new Date(certificate.validTo)];
    const own = examination.config().tlsMode === "self_signed";
    const remedy = own
      ? "Start homesec: it renews its own certificate two months before the end"
      : "Renew it (certbot renew) and put the new files in place; homesec takes them up within a minute";
    if (now < from.getTime())
      return finding(`The certificate is valid from ${from.toISOString()} only`, "Set the clock of this machine right, or wait until then");
    const days = Math.floor((to.getTime() - now) / dayMs);
    if (to.getTime() <= now) return finding(`The certificate ended on ${to.toISOString()}: clients refuse it`, remedy);
    if (days < soonDays) return finding(`The certificate ends in ${days} days, on ${to.toISOString()}`, remedy, "warning");
    return ok(`${days} days left`);
  },
};

const names: Check = {
  id: "tls-names",
  group: "access",
  title: "Names in the certificate",
  severity: "warning",
  finds: "The certificate is not made out for the host of PUBLIC_URL, nor for HOST",
  remedy: "Get a certificate with that name in it",
  async run(examination) {
    const certificate = await certificateOf(examination);
    const { publicUrl, host, tlsMode } = examination.config();
    const wanted = publicUrl === undefined ? host : plainHost(new URL(publicUrl).hostname);
    // an address to listen on is seldom the name under which people ask
    if (publicUrl === undefined && isIP(host) !== 0) return ok(certificate.subjectAltName ?? "");
    const matches = isIP(wanted) === 0 ? certificate.checkHost(wanted) : certificate.checkIP(wanted);
    if (matches !== undefined) return ok(wanted);
    return finding(
      `The certificate is not made out for ${wanted}, but for ${certificate.subjectAltName ?? certificate.subject}`,
      tlsMode === "self_signed"
        ? `ALLOWED_HOSTS=${wanted}, and restart homesec: it makes a new one with that name`
        : `Get a certificate for ${wanted}, or correct PUBLIC_URL`,
    );
  },
};

async function placesOf(examination: Examination): Promise<KeyPairPlaces> {
  const { tlsMode, tlsCertPath = "", tlsKeyPath = "", dataDir } = examination.config();
  if (tlsMode === "disabled") throw new NotPossible("TLS_MODE is disabled");
  if (tlsMode === "provided") return { certPath: tlsCertPath, keyPath: tlsKeyPath, names: { cert: "TLS_CERT_PATH", key: "TLS_KEY_PATH" } };
  const places = selfSignedPaths(dataDir);
  const isMade = await access(places.certPath).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== "ENOENT",
  );
  if (!isMade) throw new NotPossible("the certificate is made at the first start");
  return places;
}

async function certificateOf(examination: Examination): Promise<X509Certificate> {
  const places = await placesOf(examination);
  try {
    return new X509Certificate((await readKeyPair(places)).cert);
  } catch (cause) {
    throw new NotPossible("the certificate cannot be read", { cause });
  }
}

export const tlsChecks: readonly Check[] = [files, expiry, names];
