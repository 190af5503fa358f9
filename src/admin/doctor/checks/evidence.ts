import { readKey } from "../../../platform/secrets/key-file.ts";
import { sealerOf } from "../../../platform/secrets/sealer.ts";
import { checkChain } from "../../evidence/check-chain.ts";
import { type Check, finding, NotPossible, ok } from "../check.ts";

/** Few, so that the check is quick in a large database. */
const newestDays = 3;

/** Checks the newest sealed days; `homesec evidence check` checks all. */
export const evidenceChain: Check = {
  id: "evidence-chain",
  group: "database",
  title: "Sealed days",
  severity: "warning",
  finds: "Records of the last three sealed days were changed, and not by homesec",
  async run(examination) {
    const db = await examination.rows();
    const { secretKeyPath } = examination.config();
    const key = readKey(secretKeyPath);
    if (key === undefined) throw new NotPossible(`${secretKeyPath} does not exist yet`);
    const { head, days, findings } = await checkChain(db, sealerOf(key, secretKeyPath), { newest: newestDays });
    if (head === null) return ok("no day is sealed yet");
    const [first] = findings;
    if (!first) return ok(`${days} newest, up to ${head.day}`);
    return finding(
      `Records of ${first.day} were changed, and not by homesec: ${first.message}`,
      "homesec evidence check names all of them; compare with a backup from before",
    );
  },
};
