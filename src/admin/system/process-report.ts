import { z } from "zod";
import { circuitStates } from "../../contract/constants.ts";
import { upstreamNames } from "../../work/operations/upstream-state.ts";

const Time = z.codec(z.iso.datetime(), z.date(), { decode: (text) => new Date(text), encode: (date) => date.toISOString() });
const Name = z.enum(upstreamNames);

/** The state that a daemon shares with the other daemons on its database, so that each of them can answer for all. */
export const ProcessReport = z.object({
  /** Workers that should run in this daemon and do not. */
  stopped: z.array(z.object({ name: z.string(), message: z.string().nullable() })),
  /** For the services that it calls. */
  breakers: z.array(
    z.object({
      name: Name,
      state: z.enum(circuitStates),
      failure_count: z.int(),
      last_failure: Time.nullable(),
      last_success: Time.nullable(),
      reset_at: Time.nullable(),
    }),
  ),
  /** Their last failures, null after a good answer. Missing in reports of earlier versions. */
  faults: z.array(z.object({ name: Name, fault: z.string().nullable() })).optional(),
  /** Built-in services that run beside it: why one cannot be called, or null. */
  builtIn: z.array(z.object({ name: Name, fault: z.string().nullable() })),
  /** From the daemon whose file watcher runs. */
  watcher: z
    .object({
      cameraRoot: z.string(),
      watchMode: z.enum(["notify", "polling"]),
      pending: z.int(),
      stuck: z.array(z.object({ path: z.string(), reason: z.string(), since: Time })),
    })
    .nullable(),
  /** Folders below which it finds cameras' pictures; empty without the role. */
  roots: z.array(z.string()),
  /** Fingerprint that distinguishes its key file from others without revealing it; null until the file is read. */
  key: z.string().nullable(),
});
export type ProcessReport = z.output<typeof ProcessReport>;
