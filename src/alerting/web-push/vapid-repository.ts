import { Problem } from "../../contract/problem.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { Sealer } from "../../platform/secrets/sealer.ts";
import { makeVapidKeys, type VapidKeys } from "../channels/push-encryption.ts";

interface VapidRow {
  readonly public_key: string;
  readonly sealed_private_key: Uint8Array;
}

/**
 * Returns the key pair, which is made at first need and then stays: browsers accept messages only from the pair of their subscription. A
 * pair that was sealed with another key file cannot be opened, and neither can the channels made with it, so a new one replaces it.
 */
export async function vapidKeys(sql: Sql, sealer: Sealer, now: Date): Promise<VapidKeys> {
  const [stored] = await sql<[VapidRow?]>`select v.public_key, v.sealed_private_key from vapid_keys v`;
  const known = stored && opened(stored, sealer);
  if (known) return known;
  const made = makeVapidKeys();
  const [row] = await sql<[VapidRow]>`
    insert into vapid_keys as v (public_key, sealed_private_key, created_at)
    values (${made.publicKey}, ${sealer.seal(made.privateKey)}, ${now})
    on conflict (is_only) do update
    set public_key = case when v.public_key = ${stored?.public_key ?? null}::text then excluded.public_key else v.public_key end,
      sealed_private_key =
        case when v.public_key = ${stored?.public_key ?? null}::text then excluded.sealed_private_key else v.sealed_private_key end
    returning v.public_key, v.sealed_private_key
  `;
  // Another request may have made it meanwhile
  return opened(row, sealer) ?? made;
}

function opened(row: VapidRow, sealer: Sealer): VapidKeys | undefined {
  try {
    return { publicKey: row.public_key, privateKey: sealer.unseal(Buffer.from(row.sealed_private_key)) };
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
