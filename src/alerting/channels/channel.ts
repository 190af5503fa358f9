import type { z } from "zod";
import { Problem } from "../../contract/problem.ts";
import type { PhoneChannel } from "../../contract/routes/channels.ts";
import type { Sealer } from "../../platform/secrets/sealer.ts";
import type { PhoneKind } from "./kind.ts";

/** A channel as clients see it. */
export type ChannelRecord = z.output<typeof PhoneChannel>;

/** Settings by name, as clients send them. */
export type Settings = Readonly<Record<string, string | boolean>>;

/** The row of a channel: its record with the sealed secrets. */
export interface StoredChannel extends Omit<ChannelRecord, "secrets"> {
  readonly sealed_settings: Uint8Array | null;
}

/** A channel with its secrets, ready to send. */
export interface OpenChannel extends Pick<ChannelRecord, "id" | "name" | "kind"> {
  readonly settings: Settings;
  /** To mask them in answers. */
  readonly secretValues: readonly string[];
}

/** Settings as the columns store them. */
export interface SettingColumns {
  readonly settings: Settings;
  readonly sealedSettings: Uint8Array | null;
}

/** Splits checked settings into the open ones and the sealed secrets. */
export function sealSettings(kind: PhoneKind, settings: Settings, sealer: Sealer): SettingColumns {
  const entries = Object.entries(settings);
  const secret = entries.filter(([name]) => kind.secrets.includes(name));
  return {
    settings: Object.fromEntries(entries.filter(([name]) => !kind.secrets.includes(name))),
    sealedSettings: secret.length === 0 ? null : sealer.seal(JSON.stringify(Object.fromEntries(secret))),
  };
}

/**
 * Unseals a channel. Throws `Problem("unavailable")`, which names the fix, if its secrets were sealed with another key file.
 */
export function openChannel(row: StoredChannel, sealer: Sealer): OpenChannel {
  const secrets = row.sealed_settings ? (JSON.parse(sealer.unseal(Buffer.from(row.sealed_settings))) as Record<string, string>) : {};
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    settings: { ...row.settings, ...secrets },
    secretValues: Object.values(secrets),
  };
}

/** Returns a row as clients see it. Secrets that were sealed with another key file have no names. */
export function recordOf({ sealed_settings, ...record }: StoredChannel, sealer: Sealer): ChannelRecord {
  return { ...record, secrets: Object.keys(secretsOf(sealed_settings, sealer)) };
}

/** Returns the secrets of a row; none if they were sealed with another key file. */
export function secretsOf(sealed: Uint8Array | null, sealer: Sealer): Readonly<Record<string, string>> {
  if (!sealed) return {};
  try {
    return JSON.parse(sealer.unseal(Buffer.from(sealed))) as Record<string, string>;
  } catch (error) {
    if (error instanceof Problem) return {};
    throw error;
  }
}
