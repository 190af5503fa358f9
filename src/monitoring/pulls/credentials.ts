import type { Sealer } from "../../platform/secrets/sealer.ts";
import { passwordPlace } from "./address.ts";
import type { Credentials } from "./digest.ts";
import type { PullSettings } from "./pulls-repository.ts";

/**
 * Returns the user and the password of a pull; undefined without a user, unless the address has a place for the password. Throws
 * `Problem("unavailable")` if the password cannot be opened.
 */
export function credentialsOf({ url, username, sealedPassword }: PullSettings, sealer: Sealer): Credentials | undefined {
  if (username === null && !url.includes(passwordPlace)) return undefined;
  return { user: username ?? "", password: sealedPassword === null ? "" : sealer.unseal(sealedPassword) };
}
