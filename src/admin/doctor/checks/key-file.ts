import { pluralize } from "../../../base/text/pluralize.ts";
import { Problem } from "../../../contract/problem.ts";
import { readKey } from "../../../platform/secrets/key-file.ts";
import { countSealed } from "../../../platform/secrets/sealed-repository.ts";
import { sealerOf } from "../../../platform/secrets/sealer.ts";
import { type Check, finding, NotPossible, notPossible, ok } from "../check.ts";
import type { Examination } from "../examination.ts";

const keyFile: Check = {
  id: "key-file",
  group: "data",
  title: "Key file",
  severity: "error",
  finds: "SECRET_KEY_PATH may be read by others, is no key, cannot be read, or is missing although the database holds sealed secrets",
  remedy: "chmod 600, or put the right file back from a backup",
  async run(examination) {
    const { secretKeyPath } = examination.config();
    try {
      if (readKey(secretKeyPath)) return ok(secretKeyPath);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const [, fault = error.message, remedy] = /: ([^;]+); (.*)$/.exec(error.message) ?? [];
      return finding(`${secretKeyPath}: ${fault}`, remedy ?? `chmod 600 ${secretKeyPath}`);
    }
    const sealed = await examination
      .rows()
      .then((db) => db.query((sql) => countSealed(sql, undefined)))
      .then((counts) => counts.sealed, notPossible);
    if (sealed === undefined) return ok("not there yet, or the database could not be asked whether it is needed");
    if (sealed === 0) return ok("not there yet; it is made at the first start");
    return finding(
      `${secretKeyPath} is missing, and the database holds secrets of ${pluralize(sealed, "webhook")} that only it can open`,
      `Put it back from a backup. If it is lost: (umask 077; head -c 32 /dev/urandom > ${secretKeyPath}), and enter these secrets again`,
    );
  },
};

const sealedSecrets: Check = {
  id: "sealed-secrets",
  group: "data",
  title: "Sealed secrets",
  severity: "error",
  finds: "Secrets of webhooks in the database were sealed with another key file",
  remedy: "Put the right key file there, or enter the secrets again",
  async run(examination) {
    const sealer = openQuietly(examination);
    const { sealed, foreign } = await (await examination.rows()).query((sql) => countSealed(sql, sealer.fingerprint));
    if (foreign === 0) return ok(pluralize(sealed, "webhook"));
    const { secretKeyPath } = examination.config();
    return finding(
      `Secrets of ${pluralize(foreign, "webhook")} were sealed with another key than the one in ${secretKeyPath}: nothing can be delivered to ${foreign === 1 ? "it" : "them"}`,
      `Put the right key file to ${secretKeyPath} and start homesec again; or enter the secrets again: auth and headers with homesec webhooks update, the signing secret with homesec webhooks rotate-secret`,
    );
  },
};

function openQuietly(examination: Examination) {
  const { secretKeyPath } = examination.config();
  try {
    const key = readKey(secretKeyPath);
    if (key) return sealerOf(key, secretKeyPath);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
  throw new NotPossible("there is no usable key file");
}

export const keyFileChecks: readonly Check[] = [keyFile, sealedSecrets];
